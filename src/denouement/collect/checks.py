"""What is refused of the texts that people write, as they write and again when they hand in. Quick: no parser."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from denouement.collect.description import Way
from denouement.corpus import keys
from denouement.legible import can_be_shown, seen
from denouement.text.sentences import is_finished, split_sentences
from denouement.text.words import lowered

LONGEST_TEXT = 2000
"""Characters from which on a text is refused unread, so that nobody keeps the server busy with one of megabytes."""

LONGEST_TITLE = 100

MOST_APART: dict[Way, int] = {"method_1": 2, "method_2": 3}
"""By how many words two endings may differ in length (Sharma et al. 2018, section 5)."""

TITLE, RIGHT, WRONG = "title", "right", "wrong"
"""The boxes beside those of sentences, which are called `sentence 1` and so on."""

# Marks that are nothing but quotes, and single ones that open before a word and close behind one.
_QUOTES = re.compile('["\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u300c-\u300f\u301d-\u301f\uff02]')
_SINGLE_QUOTED = re.compile(r"(?<!\w)['\u2018\u201a`](\w+)[^'\u2018\u2019`]*?['\u2019`](?!\w)")
_CLIPPED = re.compile(r"(?i)(?:tis|twas|em|til|cause|bout|n|round|cos|[0-9]+s?)\Z")  # words that begin with a stroke
_INITIALS = re.compile(r"(?:\b[A-Za-z]\.){2,}\Z")  # p.m., U.S.: more of the sentence may follow

_NEGATIONS = {"not", "n't", "n\u2019t", "never", "no"}
_DO = {"do", "does", "did"}
_WHOLE = {"ca": "can", "wo": "will", "sha": "shall"}  # what is left of can't, won't and shan't


@dataclass(frozen=True)
class Remark:
    """What a writer reads about a text.

    Attributes:
        code: for programs, such as `too_long`.
        box: the text that it is about: `title`, `sentence 3`, `right`, `wrong`, or empty for all of them.
        words: what is wrong, and what to do.
        refuses: whether the text cannot be handed in as it is; else the remark is a hint.
    """

    code: str
    box: str
    words: str
    refuses: bool = True


def check_story(
    title: str, sentences: Sequence[str], n_sentences: int = 5, longest: int = 70, wants_title: bool = True
) -> list[Remark]:
    """What is refused of a story.

    Args:
        title: its title.
        sentences: the content of each box.
        n_sentences: how many there must be.
        longest: characters of a sentence.
        wants_title: whether a title is asked for.
    """
    found = list(_of_title(title)) if wants_title or seen(title[:LONGEST_TEXT]) else []
    if len(sentences) != n_sentences:
        found.append(
            Remark("n_sentences", "", f"A story has {n_sentences} sentences, and this one has {len(sentences)}.")
        )
    for number, sentence in enumerate(sentences[:n_sentences], 1):
        found += check_sentence(sentence, f"sentence {number}", longest)
    if not found:
        found += _repeated({f"sentence {number}": sentence for number, sentence in enumerate(sentences, 1)})
    return found


def check_endings(way: Way, right: str, wrong: str, longest: int = 70) -> list[Remark]:
    """What is refused of two endings.

    Args:
        way: how they are written; in `method_2` the right one is the story's own sentence, and is not checked.
        right, wrong: the two endings.
        longest: characters of an ending.
    """
    written = {WRONG: wrong} if way == "method_2" else {RIGHT: right, WRONG: wrong}
    found = [remark for box, text in written.items() for remark in check_sentence(text, box, longest)]
    if found:
        return found
    other = "the sentence that you change" if way == "method_2" else "the right one"
    if _repeated({RIGHT: right, WRONG: wrong}):
        return [Remark("repeated", WRONG, f"The wrong ending says the same as {other}.")]
    most = MOST_APART.get(way)
    if most is not None and (apart := abs(n_words(right) - n_words(wrong))) > most:
        found.append(
            Remark(
                "lengths_differ",
                WRONG,
                f"The wrong ending may be at most {most} words longer or shorter than {other}; it differs by {apart}.",
            )
        )
    if way == "method_2" and is_bare_negation(right, wrong):
        found.append(
            Remark("bare_negation", WRONG, "Only a word such as not was put in or taken out. Change more than that.")
        )
    return found


def check_sentence(text: str, box: str, longest: int = 70) -> list[Remark]:
    """What is refused of one box, which holds one sentence."""
    if refused := _unreadable(text, box):
        return [refused]
    shown = seen(text)
    if not any(map(str.isalpha, shown)):
        return [Remark("empty", box, "There are no words in it.")]
    found = []
    if (length := len(unicodedata.normalize("NFC", shown))) > longest:
        found.append(
            Remark("too_long", box, f"It has {length:,} characters, and {longest:,} are the most: shorten it.")
        )
    if not is_finished(shown):
        found.append(Remark("no_end_mark", box, "It does not end with a full stop or another end mark."))
    if len(_sentences_of(text)) > 1:
        found.append(Remark("several_sentences", box, "One sentence a box: there are several in it."))
    if has_quotation(shown):
        found.append(Remark("quotation", box, "No quotation marks: say in your own words what somebody said."))
    return found


def has_quotation(text: str) -> bool:
    """Whether a text has quotation marks, single ones too; an apostrophe is none.

    >>> has_quotation("'Go,' he said."), has_quotation("The boys' dog didn't go 'til ten.")
    (True, False)
    """
    if _QUOTES.search(text):
        return True
    return any(not _CLIPPED.match(found[1]) for found in _SINGLE_QUOTED.finditer(text))


def n_words(text: str) -> int:
    """How many words people count: what stands between blanks and has a letter or digit.

    >>> n_words("He didn't go - not at 7:30.")
    6
    """
    return sum(any(map(str.isalnum, word)) for word in text.split())


def is_bare_negation(one: str, other: str) -> bool:
    """Whether two sentences differ in nothing but a negation, which either of them may have.

    The help of do counts as part of it, so that `He went` and `He did not go` differ in nothing else. Whether `go` is a
    form of `went` is not looked up: the word behind `did` may be any.

    >>> is_bare_negation("Ann was glad.", "Ann wasn't glad."), is_bare_negation("Ann was glad.", "Ann was not sorry.")
    (True, False)
    """
    return _adds_negation(_words(one), _words(other)) or _adds_negation(_words(other), _words(one))


def _adds_negation(plain: list[str], negated: list[str]) -> bool:
    """Whether leaving out the negations of `negated` gives `plain`."""
    kept: list[str] = []
    free: set[int] = set()  # places of the words behind do, which may have another form in `plain`
    for at, word in enumerate(negated):
        if word in _NEGATIONS:
            continue
        if word in _DO and negated[at + 1 : at + 2] and negated[at + 1] in _NEGATIONS:
            free.add(len(kept))
            continue
        kept.append(word)
    if len(kept) == len(negated) or len(kept) != len(plain):
        return False
    return all(at in free or ours == theirs for at, (ours, theirs) in enumerate(zip(kept, plain, strict=True)))


def _words(text: str) -> list[str]:
    words = [_WHOLE.get(word, word) for word in lowered(text) if any(map(str.isalnum, word))]
    return [part for word in words for part in (("can", "not") if word == "cannot" else (word,))]


def _of_title(title: str) -> Iterator[Remark]:
    if refused := _unreadable(title, TITLE):
        yield refused
    elif not any(map(str.isalnum, seen(title))):
        yield Remark("no_title", TITLE, "The story has no title: give it one.")
    elif len(seen(title)) > LONGEST_TITLE:
        yield Remark("too_long", TITLE, f"It has more than {LONGEST_TITLE} characters: shorten it.")


def _unreadable(text: str, box: str) -> Remark | None:
    if len(text) > LONGEST_TEXT:
        return Remark("too_large", box, f"It has {len(text):,} characters: this is not one sentence.")
    if not can_be_shown(text):
        return Remark("not_shown", box, "It holds characters that cannot be shown: type it again.")
    return None


def _sentences_of(text: str) -> list[str]:
    """The sentences; what follows p.m. or U.S. belongs to the same one."""
    joined: list[str] = []
    for part in split_sentences(text):
        if joined and _INITIALS.search(joined[-1]):
            joined[-1] += f" {part}"
        else:
            joined.append(part)
    return joined


def _repeated(texts: dict[str, str]) -> list[Remark]:
    """The mistake that two boxes hold the same words."""
    first: dict[str, str] = {}
    for box, key in zip(texts, keys.normalised_texts(texts.values()), strict=True):
        if key in first:
            return [Remark("repeated", box, f"It says the same as {first[key]}.")]
        first[key] = box
    return []
