"""An OpenAI-compatible endpoint for tests: a real HTTP server in a thread, whose failures are scripted."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, dict[str, str], bytes]


def _endings(body: Mapping[str, Any]) -> list[str]:
    return [f" It ended well {number}. Then" for number in range(body["n"])]


@dataclass
class Toy:
    """What the server was asked, and what it is to do.

    Attributes:
        base_url: its address.
        requests: path, headers and body of each request that came.
        failures: replies to the first requests, in this order; None closes the connection without a reply.
        delay: seconds before each answer.
        texts: the answer to a request.
    """

    base_url: str = ""
    requests: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    failures: list[Reply | None] = field(default_factory=list)
    delay: float = 0.0
    texts: Callable[[Mapping[str, Any]], list[str]] = _endings


def failure(status: int, message: str = "", **headers: str) -> Reply:
    """A reply as such servers give it, with these headers (`retry_after` is Retry-After)."""
    content = json.dumps({"error": {"message": message}}).encode() if message else b"<html>no</html>"
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, content


@contextmanager
def served() -> Iterator[Toy]:
    """The server, until the end of the block."""
    toy = Toy()
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                toy.requests.append((self.path, dict(self.headers), body))
                failing, reply = bool(toy.failures), toy.failures.pop(0) if toy.failures else None
            if failing and reply is None:
                self.close_connection = True
                return
            time.sleep(toy.delay)
            status, headers, content = reply or (200, {}, self._answer(body))
            try:
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)
            except OSError:  # who asked has gone
                self.close_connection = True

        def _answer(self, body: dict[str, Any]) -> bytes:
            texts = toy.texts(body)
            chat = self.path.endswith("/chat/completions")
            choices = [
                {"index": n, **({"message": {"role": "assistant", "content": text}} if chat else {"text": text})}
                for n, text in enumerate(texts)
            ]
            usage = {"prompt_tokens": 10, "completion_tokens": 3 * len(texts)}
            return json.dumps({"choices": choices[::-1], "usage": usage}).encode()  # the order is that of the index

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Who asked went away."""

    server = Server(("127.0.0.1", 0), Handler)
    toy.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield toy
    finally:
        server.shutdown()
        server.server_close()
