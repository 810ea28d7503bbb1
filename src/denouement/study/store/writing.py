"""One writer for many threads. Jobs that wait at the same time are committed together, with one flush to the disk."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import sqlalchemy as sa

from denouement.study.store.database import StoreUnavailableError

Result = TypeVar("Result")
_Waiting = tuple[Callable[[sa.Connection], Any], "Future[Any]"]

_MOST = 64  # jobs a transaction: other processes wait for its end


class Writer:
    """Runs jobs, one after the other, in the transactions of an engine that writes (`database.writer`).

    A job is a function of a connection that can be run again: when one job of a transaction fails, the transaction is
    undone and its jobs are run again, each in its own.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._waiting: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._queueing = threading.Lock()  # so that no job is queued after the end
        self._closed = False
        self._thread: threading.Thread | None = None

    def run(self, job: Callable[[sa.Connection], Result]) -> Result:
        """Run `job` and return its result once it is committed; an error of the job or of the commit is raised here.

        Raises:
            StoreUnavailableError: the writer was closed.
        """
        future: Future[Result] = Future()
        with self._queueing:
            if self._closed:
                raise StoreUnavailableError("the store is closed; open it again to write to it")
            self._waiting.put((job, future))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="study-writer", daemon=True)
                self._thread.start()
        return future.result()

    def close(self) -> None:
        """End once all waiting jobs are done; later ones are refused."""
        with self._queueing:
            if not self._closed:
                self._closed = True
                self._waiting.put(None)
            thread = self._thread
        if thread:
            thread.join()

    def _work(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch = [first]
            ends = False
            while len(batch) < _MOST and not ends:
                try:
                    further = self._waiting.get_nowait()
                except Empty:
                    break
                if further is None:
                    ends = True
                else:
                    batch.append(further)
            if len(batch) == 1 or not self._commit(batch):
                for waiting in batch:
                    self._commit_alone(*waiting)
            if ends:
                return

    def _commit(self, batch: list[_Waiting]) -> bool:
        """Commit all jobs of the batch, or none; return whether all futures have their result or error.

        Where not even a transaction can begin, all jobs fail at once: alone, each would wait as long again.
        """
        has_begun = False
        try:
            with self._engine.begin() as connection:
                has_begun = True
                results = [job(connection) for job, _ in batch]
        except Exception as error:
            if has_begun:
                return False  # the job that fails again when it is run alone raises the error
            for _, future in batch:
                future.set_exception(error)
            return True
        for (_, future), result in zip(batch, results, strict=True):
            future.set_result(result)
        return True

    def _commit_alone(self, job: Callable[[sa.Connection], Any], future: "Future[Any]") -> None:
        try:
            with self._engine.begin() as connection:
                result = job(connection)
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(result)
