"""The commit of a folder, and whether its files differ from it."""

import subprocess

from denouement.git import commit


def git(folder, *words):
    names = [part for key in ("user.name", "user.email") for part in ("-c", f"{key}=a")]
    subprocess.run(["git", "-C", str(folder), *names, *words], check=True, capture_output=True)


def test_a_changed_file_is_noticed_but_not_the_lock_nor_a_new_file(tmp_path):
    assert commit(tmp_path) is None
    git(tmp_path, "init", "-q")
    assert commit(tmp_path) is None  # a repository without a commit
    for name in ("code.py", "dvc.lock"):
        (tmp_path / name).write_text("a")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "First")
    found = commit(tmp_path)
    assert len(found.name) == 40
    assert str(found) == found.name[:12]
    for name in ("dvc.lock", "new.py"):
        (tmp_path / name).write_text("b")
    assert not commit(tmp_path).is_changed
    (tmp_path / "code.py").write_text("b")
    assert str(commit(tmp_path)) == f"{found.name[:12]} with changes that are not committed"
    assert not commit(tmp_path, ["docs"]).is_changed
