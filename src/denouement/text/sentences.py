"""Where sentences end, by a short and predictable rule."""

import re

# Words whose full stop does not end a sentence, since a name follows. Case matters: "one more rep." ends a sentence.
_TITLES = "Mr|Mrs|Ms|Mx|Dr|Prof|St|Mt|Ft|Rev|Fr|Gen|Col|Maj|Capt|Lt|Sgt|Gov|Sen|Rep"
_LONGEST = 5  # letters of such a word and one before it
_ABBREVIATION = re.compile(rf"(?<![\w&.])(?:{_TITLES}|mr|mrs|ms|dr|vs|(?!I)[A-Z])$")

# The end of a sentence: stops and closing quotes or brackets, then a space, then the beginning of a sentence.
# Possessive quantifiers, and no match from within a row of stops, so the time for a long row is linear in its length.
_CLOSING = r"""["'”’»)\]]*+"""
_END = re.compile(rf"""(?<![.!?…])[.!?…]++{_CLOSING}(?=\s++["'“‘«(\[]*+[A-Z0-9À-ÖØ-Þ])|\n""")
# Those of Chinese and Japanese too, of Arabic, of Hindi and of Burmese.
_LAST_END = re.compile(r"""[.!?…。！？．｡؟۔।॥။]["'”’»)\]」』）】〉》〕］｝]*+\Z""")


def split_sentences(text: str) -> list[str]:
    """The sentences of `text`, with single spaces inside and none around; no sentence is empty.

    A sentence ends at a line break, or at `.`, `!`, `?` or `…` (and closing quotes or brackets) when a space and then a
    capital letter or a digit follow, with or without an opening quote or bracket. A bare full stop ends nothing after
    a title or similar word (Mr., Dr., St., vs.: `_ABBREVIATION`) or a single capital (J. Smith), except `I`. So `p.m.`,
    `U.S.`, `etc.` and the like end a sentence if a capital or a digit follows. A line break always ends one.
    """
    sentences, start = [], 0
    for end in _END.finditer(text):
        if end[0] == "." and _ABBREVIATION.search(text[max(start, end.start() - _LONGEST) : end.start()]):
            continue
        sentences.append(text[start : end.end()])
        start = end.end()
    sentences.append(text[start:])
    cleaned = [" ".join(sentence.split()) for sentence in sentences]
    return [sentence for sentence in cleaned if sentence]


def is_finished(sentence: str) -> bool:
    """Whether `sentence` ends in a stop, with or without closing quotes or brackets after it."""
    return _LAST_END.search(sentence) is not None
