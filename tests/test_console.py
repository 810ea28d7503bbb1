"""Tables read well on a terminal and are Markdown."""

from denouement.console import text_table, warn


def test_numbers_are_right_aligned_and_pipes_escaped() -> None:
    assert text_table(["group", "n"], [["right", 3742], ["a|b", 5]]) == (
        "| group |    n |\n| ----- | ---: |\n| right | 3742 |\n| a\\|b  |    5 |"
    )


def test_a_warning_is_one_line_whatever_is_in_it(capsys):
    warn("a file\nnamed \x1b[31mso\udcff")
    assert capsys.readouterr().err == "warning: a file\\nnamed \\x1b[31mso\\udcff\n"
