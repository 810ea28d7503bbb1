"""The default texts and items of a study, after the instructions in Mori et al. 2019, Figure A.1."""

from typing import Literal, NamedTuple

Kind = Literal["pair", "rating", "order", "best_worst", "ranking"]

RANKED: tuple[Kind, ...] = ("best_worst", "ranking")
"""The kinds of study that show several endings of one story at once."""

CONSENT = (
    "You are invited to take part in a study of how stories end. You will read short stories and answer a question "
    "about each. Taking part is voluntary: you may stop at any time, and you may withdraw, which deletes all that "
    "you have answered. We keep your answers and when you gave them, and no name. They may be published for research."
)

INSTRUCTIONS: dict[Kind, str] = {
    "pair": (
        "Each story below once had five sentences, but its last sentence was lost. You will see the first four and two "
        "candidates, A and B, for the fifth. Choose the one that completes the story better. If both complete it "
        "equally well, choose both; if neither of them can be its ending, choose neither."
    ),
    "rating": (
        "Each story below has five sentences, and the last one is to be judged. Read the whole story, then rate its "
        "last sentence on every scale."
    ),
    "order": (
        "The sentences of each story below were shuffled. Put them back into the order in which they make a story."
    ),
    "best_worst": (
        "Each story below has lost its last sentence. You will see the story and several candidates for its last "
        "sentence. Choose the one that completes the story best, and the one that completes it worst."
    ),
    "ranking": (
        "Each story below has lost its last sentence. You will see the story and several candidates for its last "
        "sentence. Put them into order: the one that completes the story best gets place 1."
    ),
}

# The instructions to a pair where there is no answer for a tie.
FORCED_INSTRUCTIONS = (
    "Each story below once had five sentences, but its last sentence was lost. You will see the first four and two "
    "candidates, A and B, for the fifth. Choose the one that completes the story better, even if the difference is "
    "small."
)

QUESTION: dict[Kind, str] = {
    "pair": "Which sentence completes the story better?",
    "rating": "Please rate the last sentence of this story.",  # each scale has its own question below it
    "order": "In which order do these sentences make a story?",
    "best_worst": "Which sentence completes the story best, and which one worst?",
    "ranking": "In which order would you put these sentences? 1 completes the story best.",
}

# The labels of the lowest and the highest value of a scale without labels.
SCALE_ENDS = ("lowest", "highest")

REASON = "Why did you choose this answer? Please write the reason in your own words."
REASON_OF_RATING = "Why did you rate it so? Please write the reason in your own words."


class ClearCase(NamedTuple):
    """A story with two endings, of which one is clearly the right one."""

    context: tuple[str, ...]
    right: str
    wrong: str


TRAINING = ClearCase(
    (
        "Nora wanted to bake a cake for her father.",
        "She mixed the flour, the eggs and the sugar.",
        "She put the cake in the oven and waited for an hour.",
        "Then she let it cool and covered it with cream.",
    ),
    "Her father loved the cake.",
    "The bus driver closed the doors at the station.",
)


def endings_of(story: ClearCase, kind: Kind, n_shown: int = 0) -> tuple[str, ...]:
    """The endings of one of the stories here in an item of a study: the right one, then the others that are shown.

    Several endings at once are the right one, the wrong one, and the right ones of other stories, up to eight.
    """
    if kind not in ("pair", *RANKED):
        return (story.right,)
    others = [each.right for each in (TRAINING, *CHECKS) if each != story]
    return (story.right, story.wrong, *others)[: n_shown if kind in RANKED else 2]


# Feedback on the training item above, by kind of study; the same after a right and after a wrong answer.
FEEDBACK: dict[str, str] = {
    "pair": (
        "The better ending goes on with what the story tells: Nora baked a cake for her father. The other one is a "
        "sentence of some other story."
    ),
    "rating": "This ending goes on with what the story tells: Nora baked a cake for her father.",
    "order": "In the right order each sentence goes on with what the ones before it tell.",
    "best_worst": (
        "The best ending goes on with what the story tells: Nora baked a cake for her father. The other ones are "
        "sentences of other stories."
    ),
    "ranking": (
        "The best ending goes on with what the story tells: Nora baked a cake for her father. The other ones are "
        "sentences of other stories."
    ),
}

# Feedback on a training item that a study's file gives.
OWN_FEEDBACK = "Read the whole story once more, and think of what its sentences tell."
OWN_FEEDBACK_RIGHT = "The questions that follow are of the same kind."

CHECKS = (
    ClearCase(
        (
            "Ben lost his keys on the way home.",
            "He looked for them in all of his pockets.",
            "He walked back along the street.",
            "He saw something shining in the grass.",
        ),
        "They were his keys.",
        "The penguin paid for the piano with seven clouds.",
    ),
    ClearCase(
        (
            "Mia had never been to the sea.",
            "Her aunt promised to take her there in summer.",
            "In July they drove to the coast.",
            "Mia ran down the beach to the water.",
        ),
        "She was glad to see the sea at last.",
        "The printer was out of paper because the moon had signed a contract.",
    ),
    ClearCase(
        (
            "Omar's old bicycle was broken.",
            "He saved money all through the winter.",
            "In spring he went to the shop.",
            "He chose a blue bicycle and paid for it.",
        ),
        "He rode home on his new bicycle.",
        "Four spoons voted for the colour of the tax office.",
    ),
    ClearCase(
        (
            "The class had a cat named Pepper.",
            "One morning Pepper was not in her basket.",
            "The children looked under every desk.",
            "Then they heard a sound from the cupboard.",
        ),
        "Pepper was asleep inside it.",
        "The submarine forgot its umbrella in a spreadsheet.",
    ),
    ClearCase(
        (
            "Lena was thirsty after the race.",
            "She looked for something to drink.",
            "Her friend handed her a bottle.",
            "Lena opened it at once.",
        ),
        "She drank the water and thanked her friend.",
        "Seventeen doors were elected king of the soup.",
    ),
    ClearCase(
        (
            "Paul's grandmother was in hospital.",
            "He wanted to cheer her up.",
            "He bought flowers and took the train.",
            "He knocked on the door of her room.",
        ),
        "His grandmother smiled when she saw him.",
        "A lamp divided by Tuesday sold the volcano to a shoe.",
    ),
)
