"""The report's summary as a comment on a pull request, sent to a server that answers as GitHub does."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

SUMMARY = "# What came out\n\n![Perplexity](training.svg)\n\n| a | b |\n"


class GitHub(HTTPServer):
    """Keeps the comments of one pull request."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answers)
        self.comments: list[dict[str, str]] = []
        self.asked: list[tuple[str, str, str | None]] = []
        self.status = 200

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answers(BaseHTTPRequestHandler):
    server: GitHub

    def do_GET(self):
        page = int(self.path.rpartition("page=")[2])
        self.reply(self.server.comments[100 * (page - 1) : 100 * page])

    def do_POST(self):
        number = len(self.server.comments)
        comment = {"url": f"{self.server.address}/comment/{number}", "html_url": f"page/{number}", "body": self.body()}
        self.server.comments.append(comment)
        self.reply(comment)

    def do_PATCH(self):
        comment = self.server.comments[int(self.path.rpartition("/")[2])]
        comment["body"] = self.body()
        self.reply(comment)

    def body(self) -> str:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def reply(self, content: object) -> None:
        self.server.asked.append((self.command, self.path, self.headers["Authorization"]))
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def github():
    with GitHub() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def summary(tmp_path):
    (tmp_path / "summary.md").write_text(SUMMARY)
    return tmp_path / "summary.md"


@pytest.fixture
def comment(script):
    return script("comment")


def environment(github: GitHub) -> dict[str, str]:
    return {
        "GITHUB_API_URL": github.address,
        "GITHUB_REPOSITORY": "someone/stories",
        "GITHUB_TOKEN": "secret",
        "PULL_REQUEST": "7",
    }


def test_it_is_posted_once_and_renewed_afterwards(comment, github, summary, capsys):
    github.comments += [{"body": f"other {number}", "url": "", "html_url": ""} for number in range(100)]
    assert comment.main(summary, environment(github)) == 0
    assert capsys.readouterr().out == "posted: page/100\n"
    assert github.comments[100]["body"] == f"{comment.MARK}\n# What came out\n\n\n| a | b |"
    assert {token for *_, token in github.asked} == {"Bearer secret"}
    assert github.asked[-1][:2] == ("POST", "/repos/someone/stories/issues/7/comments")
    summary.write_text("# What came out next\n")
    assert comment.main(summary, environment(github)) == 0
    assert len(github.comments) == 101  # the second page of comments was read
    assert github.comments[100]["body"] == f"{comment.MARK}\n# What came out next"


@pytest.mark.parametrize("missing", ["GITHUB_TOKEN", "PULL_REQUEST"])
def test_without_a_token_or_a_pull_request_it_is_printed_and_nothing_is_sent(
    comment, github, summary, tmp_path, capsys, missing
):
    page = tmp_path / "page.md"
    assert comment.main(summary, {**environment(github), missing: "", "GITHUB_STEP_SUMMARY": str(page)}) == 0
    printed = capsys.readouterr().out
    assert "# What came out" in printed
    assert printed.endswith(f"not posted: {missing} is not set\n")
    assert "| a | b |" in page.read_text()
    assert github.asked == []


def test_a_long_summary_is_cut_where_github_would_refuse_it(comment):
    text = comment.text_of("x" * 100_000)
    assert len(text) < 65_536
    assert text.endswith("the rest is in reports/summary.md of the run.")


def test_findings_systems_and_stories_are_shown_and_the_other_sections_can_be_opened(comment):
    titles = ["Findings", "Systems", "Stories", "Human evaluation", "Training"]
    text = comment.text_of("\n".join(["# Title", *(f"\n## {title}\n\n### Part\n\n![a](b.svg)" for title in titles)]))
    shown, folded = text.split("<details>")
    assert [title for title in titles if f"## {title}\n" in shown] == titles[:3]
    assert [title for title in titles if f"## {title}\n" in folded] == titles[3:]
    assert "</summary>\n\n## Human" in folded, "GitHub reads Markdown within HTML after an empty line"
    assert folded.endswith("</details>")
    assert ".svg" not in text


def test_the_run_on_github_is_linked(comment, github, summary):
    of_run = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_RUN_ID": "12"}
    comment.main(summary, {**environment(github), **of_run})
    assert github.comments[0]["body"].endswith("[The run](https://github.com/someone/stories/actions/runs/12)")


def test_what_github_refuses_and_a_missing_summary_are_one_line_without_the_token(comment, github, summary, capsys):
    github.status = 403
    assert comment.main(summary, environment(github)) == 2
    told = capsys.readouterr().err
    assert "403 Forbidden" in told
    assert comment.main(summary.with_name("none.md"), environment(github)) == 2
    told += capsys.readouterr().err
    assert len(told.splitlines()) == 2
    assert "secret" not in told
