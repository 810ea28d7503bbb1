"""Asks a model, on this computer or behind an endpoint; each answer is kept on disk when it is there."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from denouement.console import progress
from denouement.judging.prompts import ANSWER, REASON, JudgeReply, as_text, messages, once_more, read_reply
from denouement.judging.questions import PairAsked, Questionnaire
from denouement.judging.settings import JudgeSettings
from denouement.language_models.answers import opened, usual_place
from denouement.language_models.asking import Connection, Tally, ask_all
from denouement.language_models.endpoint import ServedAnswer, address
from denouement.language_models.prompts import Message

if TYPE_CHECKING:  # heavy
    from denouement.language_models.model import LanguageModel

_AT_ONCE = 16  # prompts that a model on this computer answers before their answers are kept


@dataclass(frozen=True)
class JudgeReplies:
    """What a judge answered.

    Attributes:
        replies: in the order of the pairs; None where no answer could be read.
        asked_again: how many answers could not be read at first.
    """

    replies: list[JudgeReply | None]
    asked_again: int


@dataclass
class Judge(ABC):
    """A model that answers questions about pairs.

    Attributes:
        settings: which model, and how it is asked.
        tally: what was asked so far.
    """

    settings: JudgeSettings
    tally: Tally = field(default_factory=Tally)

    @property
    @abstractmethod
    def name(self) -> str:
        """The model's name in tables, without the folders in which it lies."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """Hex SHA-256 of all that decides its answers to a given prompt."""

    @abstractmethod
    def replies(self, pairs: Sequence[PairAsked], questionnaire: Questionnaire) -> JudgeReplies:
        """What it answers to each pair.

        Raises:
            UserError: it cannot be loaded or asked. What was answered before is kept.
        """

    @property
    @abstractmethod
    def told(self) -> str:
        """What was asked so far, and what it cost, as a sentence without its full stop."""

    @property
    def cache(self) -> Path:
        """The file of the answers."""
        return Path(self.settings.cache) if self.settings.cache else usual_place()


class ServedJudge(Judge):
    """A model behind an OpenAI-compatible endpoint, whose answers are read from its text."""

    @property
    def name(self) -> str:
        """As the server calls it."""
        return self.settings.model

    @property
    def identity(self) -> str:
        """The address, the model and what it is asked for."""
        return sha256(json.dumps([self._url, self._body([])], sort_keys=True).encode()).hexdigest()

    def replies(self, pairs: Sequence[PairAsked], questionnaire: Questionnaire) -> JudgeReplies:
        """See `Judge`. An answer that cannot be read is asked for once more, the answer before in sight."""
        settings = self.settings
        connection = Connection(
            self._url, settings.key_variable, settings.timeout, settings.retries, settings.requests, self.cache
        )
        asked = [messages(pair, questionnaire) for pair in pairs]
        found: list[JudgeReply | None] = [None] * len(pairs)
        todo = list(range(len(pairs)))
        asked_again = 0
        for attempt in range(settings.again + 1):
            answers = ask_all(connection, [self._body(asked[at]) for at in todo], self.tally)
            said = {at: (answer.texts or [""])[0] for at, answer in zip(todo, answers, strict=True)}
            for at, text in said.items():
                found[at] = read_reply(text, questionnaire.options)
            todo = [at for at in todo if found[at] is None]
            if not todo or attempt == settings.again:
                break
            asked_again += len(todo)
            for at in todo:
                asked[at] += once_more(said[at])
        return JudgeReplies(found, asked_again)

    @property
    def told(self) -> str:
        """See `Judge`."""
        return self.tally.told(self.settings.price_prompt, self.settings.price_completion)

    @property
    def _url(self) -> str:
        return address(self.settings.base_url, self.settings.api)

    def _body(self, asked: list[Message]) -> dict[str, Any]:
        settings = self.settings
        body: dict[str, Any] = {
            "model": settings.model,
            "n": 1,
            "temperature": settings.temperature,
            settings.token_limit: settings.most_tokens,
        }
        return body | ({"messages": asked} if settings.api == "chat" else {"prompt": as_text(asked)})


class LocalJudge(Judge):
    """A model on this computer.

    After the prompt and `Answer:` the option that is the likeliest text is its answer, so that each answer can be read.
    Then it goes on after `Reason:`, with the likeliest words.
    """

    @property
    def name(self) -> str:
        """The name of the folder or file, or of the packaged model."""
        return Path(self.settings.model).name

    @cached_property
    def identity(self) -> str:
        """The digest of the model's files, and how it is read."""
        from denouement.language_models.source import find

        settings = self.settings
        described = [find(settings.model).digest, settings.weights, settings.most_tokens, ANSWER, REASON]
        return sha256(json.dumps(described).encode()).hexdigest()

    def replies(self, pairs: Sequence[PairAsked], questionnaire: Questionnaire) -> JudgeReplies:
        """See `Judge`."""
        place, options = f"judge:{self.identity}", list(questionnaire.options)
        bodies = [{"messages": messages(pair, questionnaire), "options": options} for pair in pairs]
        with opened(self.cache) as answers:
            found = {at: kept for at, body in enumerate(bodies) if (kept := answers.get(place, body))}
            self.tally.kept += len(found)
            todo = [at for at in range(len(bodies)) if at not in found]
            parts = [todo[start : start + _AT_ONCE] for start in range(0, len(todo), _AT_ONCE)]
            for part in progress(parts, "judging", unit="batch"):
                for at, answer in zip(part, self._answers([bodies[each] for each in part]), strict=True):
                    answers.keep(place, bodies[at], answer)
                    found[at] = answer
                self.tally.asked += len(part)
        said = [found[at].texts for at in range(len(bodies))]
        return JudgeReplies([JudgeReply(answer, reason or None) for answer, reason in said], 0)

    @property
    def told(self) -> str:
        """See `Judge`."""
        return self.tally.answers

    @cached_property
    def _model(self) -> LanguageModel:
        from denouement.language_models.model import load

        return load(self.settings.model, precision=self.settings.weights)

    def _prompt(self, asked: list[Message]) -> str:
        """The messages as the model reads them: as a chat where it has a template of chats."""
        tokenizer = self._model.tokenizer
        if not tokenizer.chat_template:
            return as_text(asked)
        return str(tokenizer.apply_chat_template(asked, tokenize=False, add_generation_prompt=True))

    def _answers(self, bodies: Sequence[dict[str, Any]]) -> list[ServedAnswer]:
        """The option and the reason of each, as two texts."""
        from denouement.language_models.reading import likelihoods
        from denouement.language_models.writing import Sampling, continuations

        model = self._model
        prompts = [f"{self._prompt(body['messages'])}{ANSWER}" for body in bodies]
        read = likelihoods(model, prompts, [[f" {option}" for option in body["options"]] for body in bodies])
        chosen = [body["options"][int(each.log_prob.argmax())] for body, each in zip(bodies, read, strict=True)]
        begun = [f"{prompt} {option}\n{REASON}" for prompt, option in zip(prompts, chosen, strict=True)]
        sampling = Sampling(temperature=0, most_tokens=self.settings.most_tokens)
        reasons = [" ".join(written.text.split()) for [written] in continuations(model, begun, sampling)]
        return [ServedAnswer([option, reason], 0, 0) for option, reason in zip(chosen, reasons, strict=True)]
