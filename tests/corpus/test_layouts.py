"""What a file is: by its header, and by its name."""

import pytest

from denouement.corpus import layouts

STORIES = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5"
BLIND = (
    "InputStoryid,InputSentence1,InputSentence2,InputSentence3,InputSentence4,"
    "RandomFifthSentenceQuiz1,RandomFifthSentenceQuiz2"
)


@pytest.mark.parametrize(
    ("header", "kind", "delimiter"),
    [
        (STORIES, "stories", ","),
        (BLIND, "cloze", ","),
        (BLIND + ",AnswerRightEnding", "cloze", ","),
        (STORIES.replace(",", "\t"), "stories", "\t"),
        ("Story ID, Story_Title , SENTENCE 1,sentence-2", "stories", ","),
        ('"storyid","storytitle","sentence1","sentence2"', "stories", ","),
        ("sentence2,sentence1,storytitle,storyid", "stories", ","),
        ("\n\r\n" + STORIES, "stories", ","),
    ],
)
def test_an_official_header_is_recognised(header: str, kind: str, delimiter: str) -> None:
    layout = layouts.recognise(header + "\r\n1,2\r\n")
    assert layout is not None
    assert (layout.kind, layout.delimiter) == (kind, delimiter)
    assert layout.header_bytes == len(header) + 2


@pytest.mark.parametrize(
    "header",
    [
        "InputStoryid,context,optionA,optionB,answer,reason,RightEnding,model1,answer_correspondence",
        "storyid,storytitle,sentence1",
        "storyid,storytitle,sentence1,sentence3",
        STORIES + ",notes",
        STORIES + ",sentence5",
        BLIND + ",Answer",
        STORIES.replace(",", ";"),
        "# Read me",
        "",
    ],
)
def test_any_other_header_is_not(header: str) -> None:
    assert layouts.recognise(header + "\n") is None


@pytest.mark.parametrize(
    ("name", "release", "split"),
    [
        ("cloze_test_val__spring2016 - cloze_test_ALL_val.csv", "v1.0", "validation"),
        ("cloze_test_test__spring2016 - cloze_test_ALL_test.csv", "v1.0", "test"),
        ("cloze_test_val__winter2018-cloze_test_ALL_val - 1 - 1.csv", "v1.5", "validation"),
        ("cloze_test_test__winter2018-cloze_test_ALL_test - 1.csv", "v1.5", "test"),
        ("Cloze_Test_Val__Spring2016.TSV", "v1.0", "validation"),
        ("story_cloze_v1.5_dev.csv", "v1.5", "validation"),
        ("sample_cloze_val.csv", "sample", "validation"),
        ("cloze_test_ALL_val.csv", None, "validation"),
        ("cloze_test_ALL.csv", None, None),
        ("cloze.csv", None, None),
        ("spring2016_winter2018_val_and_test.csv", None, None),
        ("rev1.0 val.csv", None, "validation"),
        ("evaluation v1.0.csv", "v1.0", None),
    ],
)
def test_a_name_has_release_and_split_or_neither(name: str, release: str | None, split: str | None) -> None:
    assert layouts.release_of(name) == release
    assert layouts.split_of(name, labelled=True) == split


def test_a_blind_file_whose_name_has_no_split_is_a_test() -> None:
    assert layouts.split_of("cloze.csv", labelled=False) == "test"
    assert layouts.split_of("cloze_val.csv", labelled=False) == "validation"
    assert layouts.split_of("val_test.csv", labelled=False) is None


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("ROCStories__spring2016 - ROCStories_spring2016.csv", "rocstories_spring_2016"),
        ("ROCStories_winter2017 - ROCStories_winter2017.csv", "rocstories_winter_2017"),
        ("ROCStories_sample.csv", "rocstories"),
        ("my stories.csv", "rocstories"),
        ("sample_stories.csv", "sample"),
    ],
)
def test_a_name_has_the_source(name: str, source: str) -> None:
    assert layouts.source_of(name) == source
