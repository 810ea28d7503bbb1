"""What a run prints, also as artifacts on the Prefect page."""

from collections.abc import Sequence

from prefect import runtime
from prefect.artifacts import create_link_artifact, create_markdown_artifact

from denouement.present import markdown
from denouement.present.sections import Block
from denouement.present.terminal import show


def show_tables(stage: str, blocks: Sequence[Block]) -> None:
    """Print the results of a stage; within a run of Prefect's, also keep them as the artifact of its name."""
    show(blocks)
    if runtime.flow_run.id:
        create_markdown_artifact(markdown.render(blocks), key=stage, description=f"Results of the stage {stage}")


def keep_text(key: str, text: str, description: str) -> None:
    """Keep a Markdown text as the artifact `key`."""
    create_markdown_artifact(text, key=key, description=description)


def keep_link(key: str, address: str, description: str) -> None:
    """Keep a link to a page as the artifact `key`; browsers do not follow one to a file."""
    create_link_artifact(address, link_text=address, key=key, description=description)
