from denouement.analysis.endings import SystemEndings
from denouement.analysis.sections.cases import as_printed
from denouement.analysis.sections.endings import endings_blocks
from denouement.analysis.sections.sentiment import sentiment_blocks
from denouement.analysis.sentiment import GroupSentiment, RightAgainstWrong, SentimentCounts, SentimentResult
from denouement.present.markdown import render

COMPARISON = RightAgainstWrong(
    n=3742,
    mean_difference=0.1354,
    t=15.6,
    df=7482,
    p=3.0e-54,
    paired_t=13.1,
    paired_df=3741,
    paired_p=0.0,
    paper_p=None,
)


def counts(of: str, n: int = 4) -> SentimentCounts:
    return SentimentCounts(of, n, 0.1464, 2, 1, 0.5, 0.25)


def group(name: str, of: str, paper: SentimentCounts | None = None, n: int = 4) -> GroupSentiment:
    return GroupSentiment(**vars(counts(of, n)), group=name, t=1.5, p=0.0, paper=paper)


def text_of(*rows: GroupSentiment, comparison: RightAgainstWrong | None = None) -> str:
    return render(sentiment_blocks(SentimentResult(rows, comparison)))


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.replace("\\|", "!").split("|")[1:-1]]


def test_the_papers_values_are_below_ours_where_there_are_any():
    text = text_of(
        group("right", "v1.0 test", counts("v1.0 validation and test", 3742)),
        group("seq2seq", ""),
        comparison=COMPARISON,
    )
    lines = [cells_of(line) for line in text.splitlines()]
    assert lines[2] == ["right", "v1.0 test", "4", "0.146", "2 (50.0%)", "1 (25.0%)", "1.50", "<1e-300"]
    of_paper = "Mori et al. 2019: v1.0 validation and test"
    assert lines[3] == ["right", of_paper, "3,742", "0.146", "2 (50.0%)", "1 (25.0%)", "", ""]
    assert lines[4][0] == "seq2seq"


def test_a_sentence_says_where_the_papers_values_are_of_more_cases():
    paper = counts("v1.0 validation and test", 3742)
    said = (
        "The paper's right and wrong endings are of v1.0 validation and test together, 3,742 cases; those here are of"
    )
    text = text_of(*(group(name, "v1.0 validation", paper, n=1871) for name in ("right", "wrong")))
    assert text.count(f"{said} v1.0 validation, 1,871 cases.") == 1
    assert said not in text_of(group("right", "v1.0 validation and test", paper, n=3742))


def test_the_sample_corpus_is_said_to_be_written_by_a_grammar():
    assert "written by a grammar, not by people" in text_of(group("right", "sample test"))
    assert "grammar" not in text_of(group("right", "v1.0 test"))
    assert "Sharma" not in text_of(group("right", "sample test"), comparison=COMPARISON)


def test_both_tests_of_right_against_wrong_are_printed():
    text = text_of(comparison=RightAgainstWrong(**{**vars(COMPARISON), "paper_p": 3.48e-54}))
    assert "3,742 cases: mean difference 0.135" in text
    assert "t(7,482) = 15.60, p = 3.00e-54 (Sharma et al. 2018, v1.0 validation and test, 3,742 cases: p" in text
    assert "paired by case t(3,741) = 13.10, p <1e-300." in text
    assert "Sharma" not in text_of(comparison=COMPARISON)


def endings(system: str, decoding: str | None) -> SystemEndings:
    return SystemEndings(
        n=2000,
        distinct=1500,
        distinct_share=0.75,
        most_frequent="It was a|b.",
        most_frequent_count=20,
        most_frequent_share=0.01,
        mean_words=7.52,
        distinct_1=0.5,
        distinct_2=None,
        system=system,
        log_prob_per_token=None,
        decoding=decoding,
    )


def test_human_endings_have_no_probability():
    text = render(endings_blocks([endings("right", None)]))
    assert cells_of(text.splitlines()[2]) == [
        *("right", "2,000", "1,500 (75.0%)", "7.5", "0.500", "-", "-"),
        "It was a!b. (20, 1.0%)",
    ]
    assert "Decoding" not in text
    text = render(endings_blocks([endings("toy", "beam, beam_width 5")]))
    assert text.endswith("Decoding of toy: beam, beam_width 5.")


def test_published_numbers_keep_their_decimals():
    assert [str(as_printed(value)) for value in (8.705, 2.04, 7.0)] == ["8.705", "2.04", "7"]
