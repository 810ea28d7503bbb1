"""Post the report's Markdown summary to a pull request, or renew the one that is there: `comment.py [SUMMARY]`.

Everything comes from the environment: GITHUB_TOKEN, GITHUB_REPOSITORY (OWNER/NAME), PULL_REQUEST (its number) and
GITHUB_API_URL. Without a token or a pull request, the text is printed and nothing is sent. Where GITHUB_STEP_SUMMARY
names a file, the text is added to it too, which shows it on the page of the run.
"""

import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MARK = "<!-- the report of the pipeline -->"  # by which the comment is recognised when it is renewed
MOST = 65_000  # characters; GitHub takes 65,536
OPEN = 3  # sections that are shown at once: findings, systems and three stories; the others can be opened
PAGE = 100  # comments that GitHub returns at once, at most


def text_of(summary: str, run: str = "") -> str:
    """The comment: the summary without its pictures, whose files are not on GitHub.

    Its first sections are shown, the others can be opened; it is cut where it is too long.
    """
    text = "\n".join(line for line in summary.splitlines() if not line.startswith("!["))
    head, *sections = re.split(r"(?m)^(?=## )", text)
    first, rest = "".join([head, *sections[:OPEN]]), "".join(sections[OPEN:])
    folded = f"<details><summary>All tables of the summary</summary>\n\n{rest}\n\n</details>" if rest else ""
    parts = [MARK, *filter(None, [first, folded]), *([f"\n[The run]({run})"] if run else [])]
    made = "\n".join(parts)
    return made if len(made) <= MOST else f"{made[:MOST]}\n\n... the rest is in reports/summary.md of the run."


def post(text: str, api: str, repository: str, number: str, token: str) -> str:
    """Renew this script's comment on the pull request, or add it where there is none; its address.

    Raises:
        OSError: GitHub does not answer, or refuses.
    """
    comments = f"{api}/repos/{repository}/issues/{number}/comments"
    page = 1
    while found := _ask("GET", f"{comments}?per_page={PAGE}&page={page}", token):
        for comment in found:
            if comment["body"].startswith(MARK):
                return str(_ask("PATCH", comment["url"], token, {"body": text})["html_url"])
        page += 1
    return str(_ask("POST", comments, token, {"body": text})["html_url"])


def _ask(method: str, url: str, token: str, content: Mapping[str, str] | None = None) -> Any:
    request = urllib.request.Request(  # noqa: S310 - the address is GitHub's own, or the environment's
        url,
        data=None if content is None else json.dumps(content).encode(),
        method=method,
        headers={"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        return json.load(answer)


def main(summary: Path, environment: Mapping[str, str]) -> int:
    """Post or print; the exit status."""
    try:
        text = text_of(summary.read_text(encoding="utf-8"), _run(environment))
        if page := environment.get("GITHUB_STEP_SUMMARY"):
            with Path(page).open("a", encoding="utf-8") as opened:
                opened.write(f"{text}\n")
        names = ("GITHUB_REPOSITORY", "PULL_REQUEST", "GITHUB_TOKEN")
        repository, number, token = (environment.get(name, "") for name in names)
        if not (repository and number and token):
            print(f"{text}\n\nnot posted: {', '.join(name for name in names if not environment.get(name))} is not set")
            return 0
        api = environment.get("GITHUB_API_URL", "https://api.github.com")
        print(f"posted: {post(text, api, repository, number, token)}")
    except urllib.error.HTTPError as error:
        print(f"error: {error.url}: {error.code} {error.reason}; may the token write comments?", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _run(environment: Mapping[str, str]) -> str:
    """The address of the run on GitHub; empty elsewhere."""
    parts = [environment.get(name) for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")]
    return "{}/{}/actions/runs/{}".format(*parts) if all(parts) else ""


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "reports/summary.md"), os.environ))
