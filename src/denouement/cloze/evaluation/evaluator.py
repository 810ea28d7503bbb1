"""The Story Cloze Evaluator of Mostafazadeh et al. 2016 (Vector Space Representation Evaluation by Predicting What
Happens Next): how well vectors of sentences predict what comes next. It learns nothing, and nothing in it is random.

The joint module (section 3.1) compares the context with each ending. The sentence-level module (section 3.2) extends
the trajectory of the context's sentences by one step, and compares the result with each ending.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from denouement import schemas
from denouement.cloze.base import Scores, by_case, endings
from denouement.cloze.evaluation import statistics
from denouement.cloze.evaluation.case_sets import check_contexts
from denouement.cloze.evaluation.results import ModuleAccuracy, VectorResult
from denouement.cloze.parts.vectors import Floats, cosine
from denouement.corpus.cases import n_endings
from denouement.encoders.embeddings import EmbeddingTable, SentenceVectors
from denouement.errors import UserError
from denouement.files import existing_file

_LARGEST = 1e100  # products of such numbers can still be summed


def joint(context_vectors: npt.ArrayLike, ending_vectors: npt.ArrayLike) -> Scores:
    """How close each ending is to its context, by cosine.

    Args:
        context_vectors: [n, D], one a context.
        ending_vectors: [n, k, D].

    Returns:
        float64 [n, k], from -1 to 1; 0 where a vector is all zeros.
    """
    return cosine(np.asarray(context_vectors)[:, None], ending_vectors)


def sentence_level(sentence_vectors: npt.ArrayLike, ending_vectors: npt.ArrayLike) -> Scores:
    """How close each ending is to the one that the trajectory of the context's sentences predicts, by cosine.

    See `predicted_endings`. The paper leaves the measure open. It is cosine, as in the joint module: a line through
    three noisy points ends far out when it is extended, so by Euclidean distance the longer of the two ending vectors
    would be nearer to it, even if it has another direction.

    Args:
        sentence_vectors: [n, s, D], the s sentences of each context in their order.
        ending_vectors: [n, k, D].

    Returns:
        float64 [n, k], from -1 to 1; 0 where a vector is all zeros.
    """
    return cosine(predicted_endings(sentence_vectors)[:, None], ending_vectors)


def predicted_endings(sentence_vectors: npt.ArrayLike) -> Floats:
    """The vector that follows those of s sentences, float64 [n, D] from [n, s, D].

    The points are the distance vectors between adjacent sentences. A straight line is fitted to them by least squares,
    in each dimension by itself, and extended to the next distance, which is then added to the last sentence. A single
    distance is used again; without any, the result is the vector of the last sentence.

    Raises:
        ValueError: s is 0.
    """
    vectors = np.asarray(sentence_vectors, np.float64)
    if vectors.shape[1] == 0:
        raise ValueError("no sentence to predict an ending from")
    distances = np.diff(vectors, axis=1)
    n = distances.shape[1]
    predicted: Floats = vectors[:, -1] + distances.sum(axis=1) / max(n, 1)
    if n >= 2:
        # With the places of the distances counted from their middle, the value of the line at 0 is their mean.
        places = np.arange(n) - (n - 1) / 2
        slope = np.einsum("p,npd->nd", places, distances) / (places**2).sum()
        predicted += slope * (places[-1] + 1)
    return predicted


def evaluate_vectors(cases: pa.Table, vectors: Mapping[str, npt.ArrayLike]) -> VectorResult:
    """How often each module chooses the right ending with given vectors.

    Args:
        cases: labelled rows of the table `cloze`.
        vectors: by text (see `texts`), D numbers each: of all endings, and of all whole contexts, all context
            sentences, or both. Without those of whole contexts the joint module takes the mean of the sentences';
            without those of sentences there is no sentence-level module.

    Raises:
        UserError: no cases, or one without a label or a context; a text without a vector; a vector that differs in
            width from the others or holds a number that is not finite.
    """
    if not cases.num_rows:
        raise UserError("no Story Cloze cases to evaluate vectors on")
    if blind := cases["right_ending"].null_count:
        raise UserError(f"{blind:,} of {cases.num_rows:,} cases have no label: give labelled ones to evaluate vectors")
    check_contexts(cases)
    contexts = cases["context"].to_pylist()
    wholes = [whole_text(context) for context in contexts]
    sentences = [sentence for context in contexts for sentence in context]
    if missing := _missing(endings(cases), vectors):
        raise _no_vector("endings", missing, endings(cases))
    has_wholes = _has_all("whole contexts", wholes, vectors, {*sentences, *endings(cases)})
    has_sentences = _has_all("context sentences", sentences, vectors, {*wholes, *endings(cases)})
    if not (has_wholes or has_sentences):
        raise _no_vector("context sentences, and for no whole context", _missing(sentences, vectors), sentences)
    wanted = [*endings(cases), *(wholes if has_wholes else ()), *(sentences if has_sentences else ())]
    checked = _checked({text: np.asarray(vectors[text], np.float64) for text in wanted})

    of_endings = np.stack([checked[ending] for ending in endings(cases)])
    of_cases = np.split(of_endings, np.cumsum(n_endings(cases))[:-1])
    of_sentences = [np.stack([checked[each] for each in context]) for context in contexts] if has_sentences else []
    of_contexts = [checked[whole] for whole in wholes] if has_wholes else [each.mean(axis=0) for each in of_sentences]
    joints = [joint(each[None], its[None])[0] for each, its in zip(of_contexts, of_cases, strict=True)]
    trajectories = [sentence_level(each[None], its[None])[0] for each, its in zip(of_sentences, of_cases, strict=False)]
    return VectorResult(
        cases=cases.num_rows,
        releases=sorted(pc.unique(cases["release"]).to_pylist()),
        dimension=of_endings.shape[-1],
        contexts="whole" if has_wholes else "mean",
        joint=_accuracy(by_case(np.concatenate(joints), cases), cases),
        sentence_level=_accuracy(by_case(np.concatenate(trajectories), cases), cases) if has_sentences else None,
        chance=statistics.chance(cases),
    )


def texts(cases: pa.Table) -> list[str]:
    """Every text whose vector `evaluate_vectors` may need, each once: sentences, whole contexts, endings."""
    contexts = cases["context"].to_pylist()
    sentences = [sentence for context in contexts for sentence in context]
    return list(dict.fromkeys([*sentences, *map(whole_text, contexts), *endings(cases)]))


def whole_text(context: Sequence[str]) -> str:
    """A context as one text: its sentences with a blank between."""
    return " ".join(context)


def read_vectors(
    path: Path, wanted: Sequence[str], encoder_options: Mapping[str, Any] | None = None
) -> dict[str, npt.NDArray[np.floating]]:
    """The vectors of those of the `wanted` texts that a Parquet file has, by text.

    Args:
        path: a table `embeddings`, which has the sentences of contexts, so that the other texts are encoded here by the
            encoder that made the table; or any Parquet file with the columns `text` (string) and `vector` (list of
            floats).
        wanted: distinct texts.
        encoder_options: those that the encoder of a table `embeddings` was given.

    Raises:
        UserError: no such file, a damaged one, other columns, a row without a vector, or a wanted text in two rows.
    """
    if schemas.table_name(existing_file(path)) == "embeddings":
        table = EmbeddingTable.open(path)
        encode = SentenceVectors(table.encoder, encoder_options, table)
        return dict(zip(wanted, encode(wanted), strict=True))
    with suppress(pa.ArrowException, OSError):  # what cannot be read at all is refused below
        if problem := _wrong_columns(pq.read_schema(path)):
            raise UserError(
                f"{path}: {problem}; give a Parquet file with columns text (string) and vector (list of floats)"
            )
    rows = schemas.read_parquet(path)
    rows = rows.select(["text", "vector"]).filter(pc.is_in(rows["text"], pa.array(wanted, rows["text"].type)))
    if empty := rows["vector"].null_count:
        raise UserError(f"{path}: {empty:,} of {rows.num_rows:,} texts of the cases have no vector in their row")
    if twice := rows.num_rows - len(pc.unique(rows["text"])):
        raise UserError(f"{path}: {twice:,} texts of the cases are in two rows or more; give each text once")
    numbers = pc.list_flatten(rows["vector"]).to_numpy()
    ends = np.cumsum(pc.list_value_length(rows["vector"]).to_numpy())
    return dict(zip(rows["text"].to_pylist(), np.split(numbers, ends)[: rows.num_rows], strict=True))


def _wrong_columns(schema: pa.Schema) -> str | None:
    for name in ("text", "vector"):
        if (n := schema.names.count(name)) != 1:
            return f"{n} columns {name}" if n else f"no column {name}"
    text, vector = schema.field("text").type, schema.field("vector").type
    if not schemas.is_text(text):
        return f"column text holds {text}"
    is_list = pa.types.is_list(vector) or pa.types.is_large_list(vector) or pa.types.is_fixed_size_list(vector)
    if not (is_list and pa.types.is_floating(vector.value_type)):
        return f"column vector holds {vector}"
    return None


def _has_all(what: str, texts: Sequence[str], vectors: Mapping[str, npt.ArrayLike], others: Set[str]) -> bool:
    """Whether all texts have a vector. That only some have is an error, unless those are among the `others` too."""
    missing = _missing(texts, vectors)
    if missing and any(text in vectors for text in set(texts) - others):
        raise _no_vector(what, missing, texts)
    return not missing


def _missing(texts: Sequence[str], vectors: Mapping[str, npt.ArrayLike]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text not in vectors]


def _no_vector(what: str, missing: Sequence[str], texts: Sequence[str]) -> UserError:
    return UserError(
        f"no vector for {len(missing):,} of {len(set(texts)):,} {what}; the first is {shorten(missing[0], 80)!r}"
    )


def _checked(vectors: Mapping[str, Floats]) -> Mapping[str, Floats]:
    """The vectors; a UserError where they are not finite numbers or not all of one width."""
    [(width, _)] = Counter(len(vector) for vector in vectors.values()).most_common(1)
    if other := [text for text, vector in vectors.items() if len(vector) != width]:
        raise UserError(
            f"{len(other):,} of {len(vectors):,} vectors are not {width} numbers wide as the others are, the first "
            f"({len(vectors[other[0]])}) that of {shorten(other[0], 80)!r}"
        )
    if not width:
        raise UserError("the vectors hold no number")
    if strange := [text for text, vector in vectors.items() if not (np.abs(vector) <= _LARGEST).all()]:
        raise UserError(
            f"{len(strange):,} of {len(vectors):,} vectors hold NaN, infinity or more than {_LARGEST:g}, the first "
            f"that of {shorten(strange[0], 80)!r}"
        )
    return vectors


def _accuracy(scores: Scores, cases: pa.Table) -> ModuleAccuracy:
    share, ties = statistics.accuracy(statistics.correct(scores, cases)), statistics.half_ties(scores, cases)
    return ModuleAccuracy(**vars(share), **vars(ties))
