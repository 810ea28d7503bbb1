"""Tables read well on a terminal and are Markdown."""

from denouement.console import text_table


def test_numbers_are_right_aligned_and_pipes_escaped() -> None:
    assert text_table(["group", "n"], [["right", 3742], ["a|b", 5]]) == (
        "| group |    n |\n| ----- | ---: |\n| right | 3742 |\n| a\\|b  |    5 |"
    )
