"""Speed of a small language model: scoring of Story Cloze cases, sampled endings, and the states of the linear probe.

On Story Cloze v1.0 validation cases where they are at hand, else on as many of the sample corpus. All ways read the
same folder, the packaged model as float32. Cases are scored in blocks, each block in all ways in turn, so that a busy
spell of the machine hits all of them. Where lm-evaluation-harness is not installed, its rows say so.
"""

import importlib.util
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch

from benchmarks.cloze import tables
from benchmarks.table import Row
from denouement.cloze.parts.asked_model import contexts, continuations
from denouement.cloze.resources import Resources
from denouement.cloze.systems.lm_likelihood import LanguageModelLikelihood
from denouement.cloze.systems.lm_probe import LanguageModelProbe
from denouement.language_models.model import LanguageModel, load
from denouement.language_models.reading import likelihoods
from denouement.language_models.source import SMOLLM2
from denouement.language_models.writing import Sampling
from denouement.language_models.writing import continuations as written
from denouement.yaml_files import read_yaml

CASES, BLOCK = 100, 50
HARNESS_BATCH = 8  # requests in a batch: what the examples of its manual take
MOST_OFF = {"fp32": 1e-4, "bf16": 0.02}  # nats a token
CONTEXTS, ALONE, DRAWS = 16, 4, 20  # endings are drawn after so many contexts; one at a time after fewer
SAMPLING = Sampling(temperature=0.8, top_p=0.9, most_tokens=60)
STOPS = [".", "!", "?", "\n"]
VALIDATION, MINUTES = 1_871, 6

Sums = npt.NDArray[np.float64]


def measure() -> list[Row]:
    """Rows of scoring, of sampled endings and of the linear probe."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _, cases = tables(folder / "corpus")
        cases = cases.take(np.random.default_rng(1).permutation(cases.num_rows)[:CASES])
        _unpack(folder / "model")
        resources = Resources(language_model=str(folder / "model"))
        system = LanguageModelLikelihood()
        system.prepare(resources)
        models = {"fp32": system.loaded(resources), "bf16": system.loaded(resources, "bfloat16")}
        scored = np.concatenate(system.score(cases, resources)["sum"])  # before the clock runs, so that all are warm
        return [
            *_scoring(models, cases, scored, folder / "model"),
            *_writing(models, contexts(cases)),
            *_probing(cases, folder),
        ]


def _unpack(folder: Path) -> None:
    """Write the packaged model as safetensors of float32."""
    packed = load(SMOLLM2, device="cpu")
    described = packed.network.config.to_dict()
    described.pop("quantization_config", None)  # with it transformers refuses to write the weights
    network = type(packed.network)(type(packed.network.config).from_dict(described))
    network.load_state_dict(packed.network.state_dict())
    network.save_pretrained(folder)
    packed.tokenizer.save_pretrained(folder)


def _scoring(models: dict[str, LanguageModel], cases: pa.Table, scored: Sums, folder: Path) -> list[Row]:
    blocks = [cases.slice(start, BLOCK) for start in range(0, cases.num_rows, BLOCK)]
    ways: dict[str, Callable[[int], Sums]] = {
        **{name: lambda at, model=model: _sums(model, blocks[at]) for name, model in models.items()},
        "one by one": lambda at: _one_by_one(models["fp32"], blocks[at]),
    }
    has_harness = importlib.util.find_spec("lm_eval") is not None
    if has_harness:
        requests = [_requests(block) for block in blocks]
        ways |= {f"harness {name}": _harness(folder, name, requests) for name in models}
    seconds = dict.fromkeys(ways, 0.0)
    parts: dict[str, list[Sums]] = {name: [] for name in ways}
    for at in range(len(blocks)):
        for name, way in ways.items():
            began = time.perf_counter()
            parts[name].append(way(at))
            seconds[name] += time.perf_counter() - began
    found = {name: np.concatenate(of_way) for name, of_way in parts.items()}

    def compare(ours: str, theirs: str, against: str, at_least: float | None) -> Row:
        speeds = [cases.num_rows / seconds[name] for name in (ours, theirs)]
        return Row(_what(ours, cases), against, *speeds, "cases/s", speeds[0] / speeds[1], at_least)

    one_by_one = "each context and ending alone, fp32"
    rows = [compare(name, "one by one", one_by_one, 6.0 if name == "bf16" else None) for name in models]
    rows += [row for name in models for row in _agreement(name, found[name], found["one by one"], cases, models)]
    if not has_harness:
        against = "lm-evaluation-harness: not measured, `pip install lm_eval`"
        return [*rows, Row(_what("fp32", cases), against, cases.num_rows / seconds["fp32"], None, "cases/s", None, 2.0)]
    harness = f"HFLM.loglikelihood of lm-evaluation-harness {version('lm_eval')}, {HARNESS_BATCH} a batch"
    rows += [
        compare("fp32", "harness fp32", f"{harness}, fp32", 2.0),
        compare("bf16", "harness fp32", f"{harness}, fp32", None),
        compare("bf16", "harness bf16", f"{harness}, bf16", None),
    ]
    off = float(abs(scored - found["harness fp32"]).max())
    what = f"largest difference of the variant sum of lm_likelihood and the task storycloze_2016, {len(scored)} endings"
    return [*rows, Row(what, "what it may be", off, 1e-3, "nats", 1e-3 / off, 1.0)]


def _what(precision: str, cases: pa.Table) -> str:
    threads = "1 thread" if torch.get_num_threads() == 1 else f"{torch.get_num_threads()} threads"
    return f"scoring of {cases.num_rows} Story Cloze cases, {SMOLLM2}, {precision}, {threads}"


def _agreement(name: str, ours: Sums, theirs: Sums, cases: pa.Table, models: dict[str, LanguageModel]) -> list[Row]:
    """How far the sums are from those of texts that are read one by one, and how many choices are the same."""
    each = zip(contexts(cases), continuations(cases), strict=True)
    n_tokens = [len(_split(models[name], context, ending)[1]) for context, of in each for ending in of]
    off, most = float((abs(ours - theirs) / n_tokens).max()), MOST_OFF[name]
    same = int((_choices(ours) == _choices(theirs)).sum())
    return [
        Row(f"largest difference of a score, {name}", "what it may be", off, most, "nats a token", most / off, 1.0),
        Row(f"equal choices, {name}", "all", same, cases.num_rows, "cases", same / cases.num_rows, 1.0),
    ]


def _choices(sums: Sums) -> npt.NDArray[np.intp]:
    return sums.reshape(-1, 2).argmax(1)


def _sums(model: LanguageModel, cases: pa.Table) -> Sums:
    return np.concatenate([found.log_prob for found in likelihoods(model, contexts(cases), continuations(cases))])


@torch.inference_mode()
def _one_by_one(model: LanguageModel, cases: pa.Table) -> Sums:
    """What one writes first."""
    sums = []
    for context, endings in zip(contexts(cases), continuations(cases), strict=True):
        for ending in endings:
            before, of_ending = _split(model, context, ending)
            logits = model.network(input_ids=torch.tensor([[*before, *of_ending]]), use_cache=False).logits[0]
            log_probs = logits.log_softmax(-1)[len(before) - 1 : -1]
            sums.append(float(log_probs.gather(1, torch.tensor(of_ending)[:, None]).sum()))
    return np.array(sums)


def _split(model: LanguageModel, context: str, ending: str) -> tuple[list[int], list[int]]:
    ids, n_context = model.tokens(context + ending), len(model.tokens(context))
    return ids[:n_context], ids[n_context:]


def _harness(folder: Path, precision: str, requests: Sequence[list[Any]]) -> Callable[[int], Sums]:
    """The loop of lm-evaluation-harness over one of these lists of requests."""
    from lm_eval.models.huggingface import HFLM

    dtype = {"fp32": "float32", "bf16": "bfloat16"}[precision]
    model = HFLM(pretrained=str(folder), dtype=dtype, device="cpu", batch_size=HARNESS_BATCH)
    return lambda at: np.array([found for found, _ in model.loglikelihood(requests[at], disable_tqdm=True)])


def _requests(cases: pa.Table) -> list[Any]:
    """Of the harness's task storycloze_2016, of these cases."""
    import datasets
    import lm_eval
    from lm_eval.api.task import ConfigurableTask

    rows = [
        {
            **{f"input_sentence_{at}": sentence for at, sentence in enumerate(case["context"], 1)},
            **{f"sentence_quiz{at}": ending for at, ending in enumerate(case["endings"], 1)},
            "answer_right_ending": case["right_ending"],
        }
        for case in cases.to_pylist()
    ]
    file = Path(lm_eval.__file__).parent / "tasks" / "storycloze" / "storycloze_2016.yaml"
    config = {**read_yaml(file), "test_split": None}
    config["custom_dataset"] = lambda **_: {"validation": datasets.Dataset.from_list(rows)}
    task = ConfigurableTask(config=config)
    task.build_all_requests()
    return list(task.instances)


def _writing(models: dict[str, LanguageModel], before: Sequence[str]) -> list[Row]:
    """Rows of sampled endings: all contexts at once, against one at a time."""
    network, tokenizer = models["fp32"].network, models["fp32"].tokenizer

    def alone(**stops: Any) -> None:
        for context in before[:ALONE]:
            network.generate(
                **tokenizer(context, return_tensors="pt"),
                do_sample=True,
                temperature=SAMPLING.temperature,
                top_p=SAMPLING.top_p,
                top_k=0,
                max_new_tokens=SAMPLING.most_tokens,
                num_return_sequences=DRAWS,
                pad_token_id=models["fp32"].start,
                **stops,
            )

    torch.manual_seed(1)
    took = {name: _seconds(lambda model=model: written(model, before[:CONTEXTS], SAMPLING, DRAWS))
            for name, model in models.items()}  # fmt: skip
    took_alone = {
        f"ended when all have one of {''.join(STOPS[:-1])}": _seconds(
            lambda: alone(stop_strings=STOPS, tokenizer=tokenizer)
        ),
        f"{SAMPLING.most_tokens} tokens": _seconds(alone),
    }
    rows = []
    for name, seconds in took.items():
        for at, (until, seconds_alone) in enumerate(took_alone.items()):
            ours, theirs = CONTEXTS * DRAWS / seconds, ALONE * DRAWS / seconds_alone
            rows.append(
                Row(
                    f"{DRAWS} sampled endings after each of {CONTEXTS} contexts, {SMOLLM2}, {name}",
                    f"transformers.generate, fp32, {DRAWS} draws, one context at a time ({ALONE} of them), {until}",
                    ours,
                    theirs,
                    "endings/s",
                    ours / theirs,
                    8.0 if name == "bf16" and not at else None,
                )
            )
    return rows


def _probing(cases: pa.Table, folder: Path) -> list[Row]:
    """Rows of the linear probe with nothing kept, and with its states kept."""
    rows, allowed = [], MINUTES * 60
    for precision in ("float32", "bfloat16"):
        fresh, again = (_learning(precision, cases, folder) * VALIDATION / cases.num_rows for _ in range(2))
        what = f"features of lm_probe with and without contexts, and what it learns, {VALIDATION:,} cases, {precision}"
        measured = f" ({cases.num_rows} measured)"
        rows += [
            Row(what + measured, "what it may take", fresh, allowed, "s", allowed / fresh, 1.0),
            Row(f"the same, states kept{measured}", "nothing kept", again, fresh, "s", fresh / again),
        ]
    return rows


def _learning(precision: str, cases: pa.Table, folder: Path) -> float:
    """Seconds in which the linear probe learns from cases, by what is kept in `folder`."""
    probe = LanguageModelProbe(model=str(folder / "model"), precision=precision)
    resources = Resources(cache=folder / "cache")
    probe.prepare(resources)
    return _seconds(lambda: probe.fit(cases, resources))


def _seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
