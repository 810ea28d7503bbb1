"""Many requests to a served model: those that are kept are taken from the disk, the others are sent side by side."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from denouement.console import progress
from denouement.language_models.answers import Answers, opened
from denouement.language_models.endpoint import Endpoint, ServedAnswer

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

_PRICED = 1_000_000  # prices are for so many tokens


@dataclass(frozen=True)
class Connection:
    """Where and how a served model is asked.

    Attributes:
        url: as `endpoint.address` returns it.
        key_variable, timeout, retries: as of `endpoint.Endpoint`.
        requests: sent at the same time.
        cache: the file of the answers.
    """

    url: str
    key_variable: str
    timeout: float
    retries: int
    requests: int
    cache: Path


@dataclass
class Tally:
    """How many answers there were so far: asked for, and kept from before; and the tokens of the former."""

    asked: int = 0
    kept: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def answers(self) -> str:
        """How many there were, in words."""
        return f"{self.asked + self.kept:,} answers, {self.kept:,} of them kept from before"

    def told(self, price_prompt: float | None = None, price_completion: float | None = None) -> str:
        """The counts as a sentence without its full stop, with the cost where a price of a million tokens is given."""
        tokens = f"{self.prompt_tokens:,} prompt and {self.completion_tokens:,} completion tokens"
        cost = ""
        if (price_prompt, price_completion) != (None, None):
            spent = self.prompt_tokens * (price_prompt or 0) + self.completion_tokens * (price_completion or 0)
            cost = f", which cost {spent / _PRICED:,.4f} at the prices set"
        return f"{self.answers}; {tokens} in this run{cost}"


def ask_all(connection: Connection, bodies: Sequence[Mapping[str, Any]], tally: Tally) -> list[ServedAnswer]:
    """The answer to each request: those that are kept, and the others from the server; each is kept when it comes.

    Args:
        connection: of the model.
        bodies: the requests.
        tally: is added to.

    Raises:
        UserError: as `Endpoint.ask`, or the file of answers cannot be read or written. What was answered before is
            kept.
    """
    with opened(connection.cache) as answers:
        found = {place: kept for place, body in enumerate(bodies) if (kept := answers.get(connection.url, body))}
        tally.kept += len(found)
        if todo := [place for place in range(len(bodies)) if place not in found]:
            for place, answer in progress(_ask(connection, answers, bodies, todo), "answers", total=len(todo)):
                found[place] = answer
                tally.asked += 1
                tally.prompt_tokens += answer.prompt_tokens
                tally.completion_tokens += answer.completion_tokens
    return [found[place] for place in range(len(bodies))]


def _ask(
    connection: Connection, answers: Answers, bodies: Sequence[Mapping[str, Any]], todo: Sequence[int]
) -> Iterator[tuple[int, ServedAnswer]]:
    """The places of requests with their answers, as they come from the server; each is kept."""
    endpoint = Endpoint(connection.url, connection.key_variable, connection.timeout, connection.retries)

    def asked(place: int) -> ServedAnswer:
        answer = endpoint.ask(bodies[place])
        answers.keep(connection.url, bodies[place], answer)
        return answer

    try:
        yield from _side_by_side(asked, todo, connection.requests)
    finally:
        endpoint.close()


def _side_by_side(
    work: Callable[[Item], Outcome], items: Sequence[Item], threads: int
) -> Iterator[tuple[Item, Outcome]]:
    """Each item with the outcome of `work`, as they come, which so many threads do.

    An exception of `work` is raised here, and no further item is begun. The threads do not keep a process from ending,
    so Ctrl-C does not wait for a slow server.
    """
    todo: queue.SimpleQueue[Item] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Item, Outcome | None, BaseException | None]] = queue.SimpleQueue()
    stopped = threading.Event()
    for item in items:
        todo.put(item)

    def labour() -> None:
        while not stopped.is_set():
            try:
                item = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((item, work(item), None))
            except BaseException as error:
                done.put((item, None, error))

    for _ in range(min(threads, len(items))):
        threading.Thread(target=labour, daemon=True).start()
    try:
        for _ in items:
            item, outcome, error = done.get()
            if error is not None:
                raise error
            yield item, outcome  # type: ignore[misc]  # there is one where there is no error
    finally:
        stopped.set()
