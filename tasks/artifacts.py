"""What a stage prints, also as artifacts on the Prefect page."""

from collections.abc import Sequence
from pathlib import Path

from prefect import runtime
from prefect.artifacts import create_link_artifact, create_markdown_artifact

from denouement.present import markdown
from denouement.present.sections import Block
from denouement.present.terminal import show
from tasks import ROOT


def show_tables(stage: str, blocks: Sequence[Block]) -> None:
    """Print the results of a stage; within a run of Prefect's, also keep them as the artifact of its name."""
    show(blocks)
    if runtime.flow_run.id:
        create_markdown_artifact(markdown.render(blocks), key=stage, description=f"Results of the stage {stage}")


def link(key: str, address: str | Path, description: str) -> None:
    """Keep a link to a page, or to a file of this checkout, as the artifact `key`."""
    target = (ROOT / address).as_uri() if isinstance(address, Path) else address
    create_link_artifact(target, link_text=target, key=key, description=description)
