"""Which texts look like English."""

import pytest

from denouement.corpus.contexts import read_contexts
from denouement.text.language import looks_english

FOREIGN = {
    "German": "Tom hatte am Montag eine große Prüfung. Er lernte das ganze Wochenende und schlief gut. So war er froh.",
    "Dutch": "Tom had maandag een groot examen. Hij studeerde het hele weekend en hij sliep goed. Dus is hij blij.",
    "French": "Tom avait un grand examen lundi. Il a étudié tout le week-end et il a bien dormi. On a fêté.",
    "Spanish": "Tom tenía un gran examen el lunes. Estudió todo el fin de semana y durmió bien. A mí me gustó.",
    "Polish": "Tom miał w poniedziałek duży egzamin. On uczył się cały weekend i dobrze spał.",
    "Russian": "У Тома был экзамен.",
    "Japanese": "月曜日に試験がありました。",
}


@pytest.mark.parametrize("language", FOREIGN)
def test_another_language_is_noticed(language):
    assert not looks_english(FOREIGN[language])


@pytest.mark.parametrize(
    "text",
    [
        "Tom had a big test on Monday. He studied all weekend. He slept well. The test was easy.",
        "Zoë couldn't find café Müller anywhere, so she went home and cried about it.",
        "Tom bought cars.",  # too short to tell
        "12:30 ...",
        "",
    ],
)
def test_english_and_what_is_too_short_to_tell_pass(text):
    assert looks_english(text)


def test_hardly_a_story_of_people_is_taken_for_another_language(shared_data):
    files = sorted((shared_data / "rocstories").glob("*.csv"))
    assert files
    contexts = [context for path in files for context in read_contexts(path)["context"].to_pylist()]
    strange = [context for context in contexts if not looks_english(" ".join(context))]
    assert len(strange) < len(contexts) / 1000
