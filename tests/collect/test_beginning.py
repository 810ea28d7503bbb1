"""Files that no collection may begin with."""

import pytest

from denouement.collect.beginning import refuse_files
from denouement.collect.description import collection_from
from denouement.collect.work import as_table
from denouement.errors import UserError

SENTENCES = ["Ann lost a key.", "She looked for it.", "A dog dug.", "It shone.", "She had it."]
STORY = {"story_id": "s1", "title": "A key", "sentences": SENTENCES, "status": "approved"}
PAIR = {"case_id": "c1", "story_id": "s1", "context": SENTENCES[:4], "right": "She smiled.", "wrong": "She swam."}
STEPS = {"name": "kitchen", "stories": {}, "review": {}, "endings": {}, "verification": {}}


@pytest.mark.parametrize(
    ("stories", "endings", "said"),
    [
        ([STORY, STORY], [], "s1 is there twice"),
        ([STORY | {"sentences": SENTENCES[:4]}], [], "s1 has 4"),
        ([STORY | {"sentences": ["A.", " ", "C.", "D.", "E."]}], [], "s1 has an empty sentence"),
        ([STORY | {"sentences": ["\u202eA.", *SENTENCES[1:]]}], [], "s1 holds characters that no page can show"),
        ([STORY | {"title": "\x1b[31m"}], [], "s1 holds characters that no page can show"),
        ([STORY | {"sentences": ["A" * 10**6, *SENTENCES[1:]]}], [], "1,000,000 characters, and 2,000 are the most"),
        ([], [PAIR, PAIR], "c1 is there twice"),
        ([], [PAIR | {"context": SENTENCES[:3]}], "c1 has 3 sentences before, not 4"),
        ([], [PAIR | {"wrong": ""}], "c1 has an empty sentence"),
        ([], [PAIR | {"wrong": "she smiled"}], "the two of c1 say the same"),
        ([STORY], [PAIR | {"context": ["Ben left.", *SENTENCES[1:4]]}], "c1 is of story s1, which has other sentences"),
    ],
)
def test_files_that_pages_cannot_show_or_that_do_not_belong_together_are_refused(stories, endings, said):
    tables = (
        as_table("collected_stories", stories) if stories else None,
        as_table("collected_endings", endings) if endings else None,
    )
    with pytest.raises(UserError, match=said):
        refuse_files(collection_from(STEPS, "test"), *tables)


def test_files_of_one_collection_are_taken():
    further = PAIR | {"case_id": "c2", "story_id": "s2", "context": ["Ben left.", *SENTENCES[1:4]]}
    tables = (as_table("collected_stories", [STORY]), as_table("collected_endings", [PAIR, further]))
    refuse_files(collection_from(STEPS, "test"), *tables)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ({"review": {}}, "review: is of stories"),
        ({"endings": {}}, "endings: are written for stories"),
        ({"verification": {}}, "verification: is of endings"),
    ],
)
def test_a_step_alone_needs_a_file_of_what_it_works_on(steps, said):
    with pytest.raises(UserError, match=said):
        refuse_files(collection_from({"name": "kitchen", **steps}, "test"), None, None)
