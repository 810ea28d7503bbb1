"""The split of stories into train and validation."""

import random

import pyarrow as pa

from denouement.corpus import splits

CONTEXTS = [f"context{number}" for number in range(4000)]


def test_the_split_depends_on_each_context_alone() -> None:
    whole = dict(zip(CONTEXTS, splits.assign(pa.array(CONTEXTS), 0.2).to_pylist(), strict=True))
    some = random.Random(1).sample(CONTEXTS, 500) * 2
    assert splits.assign(pa.array(some), 0.2).to_pylist() == [whole[context] for context in some]


def test_the_share_is_kept_and_a_larger_one_only_adds() -> None:
    small, large = (splits.assign(pa.array(CONTEXTS), share).to_pylist() for share in (0.05, 0.2))
    # Three standard deviations of a binomial count.
    assert abs(small.count("validation") - 200) < 42
    assert abs(large.count("validation") - 800) < 76
    assert all(later == "validation" for now, later in zip(small, large, strict=True) if now == "validation")


def test_the_split_is_the_same_on_every_machine() -> None:
    # 0xCBF43926 of 2^32 is 0.7967: the published check value of CRC-32.
    shares = (0.79, 0.80)
    assert [splits.assign(pa.array(["123456789"]), share)[0].as_py() for share in shares] == ["train", "validation"]


def test_a_share_of_nothing_leaves_all_in_train() -> None:
    assert set(splits.assign(pa.array(CONTEXTS), 0.0).to_pylist()) == {"train"}
