import json
import shutil

import pytest
import torch

from denouement.errors import UserError
from denouement.language_models.model import load, pair
from tests.language_models.tiny import END


@pytest.fixture(scope="module")
def tiny(tiny_model):
    return load(str(tiny_model))


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        (lambda data: data[: len(data) // 2], "model.safetensors"),
        (lambda data: b"no tensors" + data, "model.safetensors"),
        (lambda data: data[:-20], "config.json"),
        (lambda data: data[:-20], "tokenizer.json"),
    ],
)
def test_damaged_files_are_one_line(tiny_model, tmp_path, damage, name):
    copy = shutil.copytree(tiny_model, tmp_path / "copy")
    (copy / name).write_bytes(damage((copy / name).read_bytes()))
    with pytest.raises(UserError, match="copy: cannot be loaded") as refused:
        load(str(copy))
    assert "\n" not in str(refused.value)


def test_code_in_a_model_s_folder_is_not_run(tiny_model, tmp_path):
    copy = shutil.copytree(tiny_model, tmp_path / "copy")
    config = json.loads((copy / "config.json").read_text())
    config |= {"model_type": "mine", "auto_map": dict.fromkeys(("AutoConfig", "AutoModelForCausalLM"), "mine.Mine")}
    (copy / "config.json").write_text(json.dumps(config))
    (copy / "mine.py").write_text("raise SystemExit('was run')")
    with pytest.raises(UserError, match="cannot be loaded"):
        load(str(copy))


def test_a_file_that_is_no_gguf_is_refused(tmp_path):
    pytest.importorskip("gguf", reason="the package gguf is missing (make lm)")
    (tmp_path / "small.gguf").write_bytes(b"GGUF")
    with pytest.raises(UserError, match="cannot be loaded"):
        load(str(tmp_path / "small.gguf"))


def test_a_log_has_a_line_and_no_bar_of_a_gguf_file(tiny_model, tmp_path, capsys, monkeypatch):
    pytest.importorskip("gguf", reason="the package gguf is missing (make lm)")
    from transformers import AutoTokenizer, modeling_gguf_pytorch_utils

    def from_pretrained(*_, **__):
        for _ in modeling_gguf_pytorch_utils.tqdm(range(3), desc="Converting and de-quantizing GGUF tensors..."):
            pass
        raise ValueError("enough")

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", from_pretrained)
    gguf = tmp_path / "small.gguf"
    gguf.touch()
    with pytest.raises(UserError, match="enough"):
        load(str(gguf))
    assert capsys.readouterr().err == f"loading {gguf}\n"


def test_weights_have_the_precision_that_is_asked_for(tiny_model, tiny):
    assert tiny.network.dtype == torch.float32
    assert load(str(tiny_model), precision="bfloat16").network.dtype == torch.bfloat16
    assert not tiny.network.training


def test_a_text_and_its_continuation_are_split_into_tokens_together(tiny):
    of_pair = pair(tiny, "Tom had a test.", " He passed it.")
    assert tiny.tokenizer.decode(of_pair.ids) == "Tom had a test. He passed it."
    assert tiny.tokenizer.decode(of_pair.ids[: of_pair.n_context]) == "Tom had a test."
    assert pair(tiny, "", "Tom").ids == [tiny.start, *tiny.tokens("Tom")]
    assert tiny.tokenizer.decode([tiny.start]) == END


def test_tokens_that_reach_over_the_end_of_the_text_are_the_continuation_s(tiny):
    # "Tom" and " te" are tokens of their own here, and "test" is one token: the pair has fewer than both texts alone
    of_pair = pair(tiny, "Tom had a te", "st. He")
    assert tiny.tokenizer.decode(of_pair.ids) == "Tom had a test. He"
    assert of_pair.n_context == len(tiny.tokens("Tom had a te"))


def test_what_ends_a_text_is_of_the_tokenizer_and_of_the_network(tiny):
    assert tiny.ends == {tiny.start}
