import csv
import itertools
import random
import re
import subprocess
import sys
import uuid
from collections import Counter
from pathlib import Path
from string import Template

import pytest
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from denouement.corpus.sample import SampleCounts, grammar, telling, write_sample
from denouement.errors import UserError

PEOPLE = {"he": ["Omar", "Ivan"], "she": ["Rosa"], "friend": ["Sam"]}
BEFORE_I = {  # after anything else "I" is an object, and the phrasing should have said $him
    "although", "and", "as", "because", "but", "if", "size", "so", "soon", "suddenly", "than", "that", "then", "time",
    "until", "when", "where", "which", "while",
}  # fmt: skip
SCENARIO = {
    "titles": ["The $pet of $color"],
    "slots": {"pet | sound": ["owl | hooted", "dog | barked", "wolf | barked"], "color": ["red", "blue"]},
    "story": {1: ["$name had a $pet.", "$name saw a $color $pet."], 2: ["It was his, and $his $pet $sound."]},
    "branches": {
        "left": {3: ["It $sound."], 4: ["It was $color.", "It ran."], 5: ["$he wept.", "$he was sad."]},
        "stayed": {3: ["It $sound softly."], 4: ["It slept."], 5: ["$he laughed."]},
    },
}


@pytest.fixture(scope="module")
def stories() -> list[telling.Story]:
    return list(telling.stories(2000, seed=7))


@pytest.fixture(scope="module")
def cases() -> list[telling.Case]:
    return list(telling.cloze_cases(400, seed=7))


@pytest.fixture(scope="module")
def compound():
    analyzer = SentimentIntensityAnalyzer()
    return lambda sentence: analyzer.polarity_scores(sentence)["compound"]


def every_phrasing():
    for branch in grammar.branches():
        for position, phrasings in enumerate(branch.sentences):
            for phrasing in phrasings:
                yield branch, position, phrasing


# What is told


def test_stories_are_distinct_have_five_sentences_and_come_equally_from_every_branch(stories):
    assert len({story.sentences for story in stories}) == len({story.story_id for story in stories}) == 2000
    assert {len(story.sentences) for story in stories} == {5}
    assert all(story.title for story in stories)
    per_branch = Counter((story.scenario, story.branch) for story in stories)
    assert len({scenario for scenario, _ in per_branch}) == len(grammar.scenarios()) >= 40
    assert len(per_branch) == len(grammar.branches())
    assert max(per_branch.values()) - min(per_branch.values()) <= 1


def test_the_same_seed_writes_the_same_and_a_shorter_corpus_is_the_beginning_of_a_longer_one(stories):
    assert list(telling.stories(300, seed=7)) == stories[:300]
    assert list(telling.cloze_cases(50, seed=7)) == list(telling.cloze_cases(80, seed=7))[:50]
    other = {story.sentences for story in telling.stories(2000, seed=8)}
    assert len(other & {story.sentences for story in stories}) < 20


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_another_process_writes_the_same_bytes(tmp_path: Path, hash_seed: str):
    write_sample(tmp_path / "here", stories=150, cases=30, seed=3)
    program = (
        "import sys; from pathlib import Path; from denouement.corpus.sample import write_sample; "
        "write_sample(Path(sys.argv[1]), stories=150, cases=30, seed=3)"
    )
    there = tmp_path / "there"
    subprocess.run([sys.executable, "-c", program, there], check=True, env={"PYTHONHASHSEED": hash_seed})
    for name in ("sample_stories.csv", "sample_cloze_val.csv"):
        assert (there / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_sides_are_balanced_and_in_no_fixed_order(cases):
    sides = [case.right_ending for case in cases]
    assert Counter(sides) == {1: 200, 2: 200}
    assert 60 < sum(side == 1 for side in sides[::2]) < 140
    assert all(len({case.endings[0], case.endings[1]}) == 2 for case in cases)


def test_no_context_of_a_case_stands_among_the_stories_of_any_seed_or_number(cases, stories):
    def letters(context):
        return "".join(re.findall(r"\w", " ".join(context).lower()))

    told = {letters(story.sentences[:4]) for seed in range(3) for story in telling.stories(2500, seed)}
    told |= {letters(story.sentences[:4]) for story in stories}
    posed = {letters(case.context) for seed in range(3) for case in telling.cloze_cases(500, seed)}
    assert len(posed) > 1400
    assert not told & posed


def test_a_wrong_ending_is_an_ending_of_another_branch_about_the_same_people(cases):
    branches = {(branch.scenario, branch.name): branch for branch in grammar.branches()}
    for case in cases:
        wrong = case.endings[2 - case.right_ending]
        siblings = [b for (scenario, name), b in branches.items() if scenario == case.scenario and name != case.branch]
        patterns = [
            re.sub(r"\\\$(?:\\\{\w+\\\}|\w+)", ".+", re.escape(phrasing.template))
            for sibling in siblings
            for phrasing in sibling.sentences[4]
        ]
        assert any(re.fullmatch(pattern, wrong, re.IGNORECASE) for pattern in patterns), wrong


# How it reads


def test_every_phrasing_reads_well_with_every_kind_of_hero():
    rng = random.Random(1)
    for branch, _, phrasing in every_phrasing():
        for hero in branch.groups[0][0], branch.groups[0][-1], rng.choice(branch.groups[0]):
            text = grammar.render(phrasing, {**branch.fill(rng), **hero})
            assert "$" not in text, text
            assert text[0].isupper(), text
            assert text.endswith("."), text
            assert text.count(".") == 1, text
            assert re.fullmatch(r"[\wé,'. -]+", text), text
            assert "  " not in text, text
            assert not re.search(r"\b(\w+) \1\b", text, re.IGNORECASE), text
            assert not re.search(r"\b(a|an) (a|an|the|some|my|his|her)\b", text, re.IGNORECASE), text
            assert not re.search(r"\b(?:a [aeio]|an [^aeiouh])", text), text
            assert all(word.endswith(",") or word.lower() in BEFORE_I for word in re.findall(r"(\S+) I\b", text)), text
            assert not re.search(r"\bI('s| is| has| and)\b", text), text
            assert 3 <= len(text.split()) <= 17, text


def test_no_sentence_stands_twice_in_a_story_and_no_stranger_enters(stories):
    friends = {row["friend"] for row in grammar.branches()[0].groups[1]}
    names = {row["name"] for row in grammar.branches()[0].groups[0]} - {"I"}
    for story in stories:
        assert len(set(story.sentences)) == 5
        words = re.findall(r"\w+", " ".join(story.sentences))
        heroes = names.intersection(words)
        if heroes:
            assert len(heroes) == 1, story
            assert not {"I", "my", "me", "myself", "we", "our"}.intersection(words), story
        else:
            assert "I" in words, story
        assert len(friends.intersection(words)) <= 1, story


def test_pronouns_agree_with_the_name(stories):
    gender = {row["name"]: row["he"] for row in grammar.branches()[0].groups[0]}
    alone = {  # scenarios with nobody else in them who is called he or she
        "oven timer", "salt or sugar", "the exam", "science fair", "the passport", "the bicycle", "sunscreen"
    }  # fmt: skip
    checked = 0
    for story in stories:
        words = re.findall(r"\w+", " ".join(story.sentences))
        hero = next((word for word in words if word in gender), "I")
        if story.scenario in alone and hero != "I":
            wrong = {"he": {"she", "her", "herself"}, "she": {"he", "him", "his", "himself"}}[gender[hero]]
            assert not wrong.intersection(map(str.lower, words)), story
            checked += 1
    assert checked > 100


def test_names_and_nothing_else_carry_no_sentiment():
    lexicon = SentimentIntensityAnalyzer().lexicon
    groups = grammar.branches()[0].groups
    for name in {row["name"] for row in groups[0]} | {row["friend"] for row in groups[1]}:
        assert name == "I" or name.lower() not in lexicon


def test_slots_are_all_used():
    for branches in grammar.scenarios().values():
        used = {slot for b in branches for p in itertools.chain(b.titles, *b.sentences) for slot in p.get_identifiers()}
        for group in branches[0].groups[2:]:
            assert used.issuperset(group[0]), branches[0].scenario


def test_the_vocabulary_is_large_enough_to_be_interesting_and_small_enough_to_be_learned(stories):
    words = Counter(word for s in stories for word in re.findall(r"[\w']+", " ".join(s.sentences).lower()))
    assert 1500 < len(words) < 2500
    assert sum(count > 1 for count in words.values()) / len(words) > 0.95


# Sentiment


def test_endings_are_sad_as_often_as_happy(stories, compound):
    scores = [compound(story.sentences[4]) for story in stories]
    assert 0.25 < sum(score >= 0.05 for score in scores) / len(scores) < 0.6
    assert sum(score <= -0.05 for score in scores) / len(scores) > 0.2


def test_sentiment_alone_does_not_find_the_right_ending(compound):
    right = 0.0
    cases = list(telling.cloze_cases(2000, seed=5))
    for case in cases:
        first, second = map(compound, case.endings)
        chosen = 1 if first > second else 2 if second > first else 1.5
        right += 0.5 if chosen == 1.5 else chosen == case.right_ending
    assert 0.45 < right / len(cases) < 0.55


# The engine


def test_count_equals_the_number_of_texts_found_by_writing_out_every_choice():
    for branch in grammar.read_scenario("pets", SCENARIO, PEOPLE, "here"):
        for length in (4, 5):
            texts = {
                tuple(grammar.render(phrasing, dict(itertools.chain(*map(dict.items, rows)))) for phrasing in phrasings)
                for rows in itertools.product(*branch.groups)
                for phrasings in itertools.product(*branch.sentences[:length])
            }
            assert branch.count(length) == len(texts)


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("a $x sat.", {"x": "owl"}, "An owl sat."),
        ("a $x sat on a $y.", {"x": "dog", "y": "unicycle"}, "A dog sat on a unicycle."),
        ("$he ate a $x.", {"he": "she", "x": "onion"}, "She ate an onion."),
        ("it took a $x.", {"x": "hour"}, "It took an hour."),
        ("it was a $x.", {"x": "European"}, "It was a European."),
        ("it was a $x day.", {"x": "unusual"}, "It was an unusual day."),
        ("panda $x.", {"x": "eats"}, "Panda eats."),
    ],
)
def test_articles_and_capitals(template, values, expected):
    assert grammar.render(Template(template), values) == expected


def test_titles_have_capitals():
    assert grammar.render_title(Template("a $x of the $y"), {"x": "bag", "y": "old nurse"}) == "A Bag of the Old Nurse"


def test_slots_of_a_group_are_drawn_together():
    branch = grammar.read_scenario("pets", SCENARIO, PEOPLE, "here")[0]
    drawn = {(values["pet"], values["sound"]) for values in (branch.fill(random.Random(k)) for k in range(60))}
    assert drawn == {("owl", "hooted"), ("dog", "barked"), ("wolf", "barked")}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"branches": {"only": SCENARIO["branches"]["left"]}}, "two branches"),
        ({"moral": "none"}, "nothing else"),
        ({"story": {1: SCENARIO["story"][1]}}, "sentences 1 to 5"),
        ({"story": {**SCENARIO["story"], 3: ["It $sound."]}}, "sentences 1 to 5"),
        ({"titles": ["The $cat"]}, r"no slot .* 'The \$cat'"),
        ({"titles": ["Ten $ a Day"]}, r"no slot .* 'Ten \$ a Day'"),
        ({"story": {1: ["A $pet came."], 2: ["It $sound."]}}, "must hold \\$name"),
        ({"slots": {"pet | sound": ["owl | hooted", "dog"], "color": ["red"]}}, "pet \\| sound"),
        ({"slots": {"pet | sound": ["owl | hooted"], "color": []}}, "color"),
    ],
)
def test_a_faulty_scenario_is_named(change, message):
    with pytest.raises(UserError, match=message) as caught:
        grammar.read_scenario("pets", SCENARIO | change, PEOPLE, "pets.yaml, scenario 'pets'")
    assert str(caught.value).startswith("pets.yaml, scenario 'pets': ")
    assert "\n" not in str(caught.value)


# Files


def test_files_have_the_official_layout(tmp_path: Path):
    counts = write_sample(tmp_path, stories=140, cases=20, seed=1)
    raw = (tmp_path / "sample_stories.csv").read_bytes()
    assert raw.startswith(b"storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\r\n")
    assert raw.count(b"\r\n") == raw.count(b"\n") == 141
    with (tmp_path / "sample_stories.csv").open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    told = list(telling.stories(140, seed=1))
    assert [tuple(row[f"sentence{k}"] for k in range(1, 6)) for row in rows] == [story.sentences for story in told]
    assert [row["storytitle"] for row in rows] == [story.title for story in told]
    assert all(str(uuid.UUID(row["storyid"])) == row["storyid"] for row in rows)

    with (tmp_path / "sample_cloze_val.csv").open(encoding="utf-8", newline="") as opened:
        reader = csv.DictReader(opened)
        rows = list(reader)
    assert reader.fieldnames == [
        "InputStoryid", "InputSentence1", "InputSentence2", "InputSentence3", "InputSentence4",
        "RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2", "AnswerRightEnding",
    ]  # fmt: skip
    assert [int(row["AnswerRightEnding"]) for row in rows] == [c.right_ending for c in telling.cloze_cases(20, seed=1)]
    assert counts == SampleCounts(
        stories=140,
        cases=20,
        scenarios=len(grammar.scenarios()),
        branches=len(grammar.branches()),
        possible_stories=telling.possible_stories(),
    )


@pytest.mark.parametrize(("stories", "cases"), [(0, 1), (1, 0), (-3, 1), (10**9, 1), (1, 10**9)])
def test_more_than_can_be_made_is_refused_before_anything_is_written(tmp_path: Path, stories: int, cases: int):
    with pytest.raises(UserError, match="ask for 1 to"):
        write_sample(tmp_path / "out", stories=stories, cases=cases, seed=1)
    assert not (tmp_path / "out").exists()


def test_the_grammar_can_make_a_corpus_of_the_size_of_the_real_one():
    assert telling.most_stories() >= 98_161
    assert telling.most_cases() >= 3_742
    assert telling.possible_stories() > 10 * telling.most_stories() > 0


@pytest.mark.slow
def test_a_corpus_of_the_size_of_the_real_one_is_distinct():
    assert len({story.sentences for story in telling.stories(98_161, seed=1)}) == 98_161
