"""Names that a new study may not have, and stored studies that have one."""

from dataclasses import replace

import pytest
from crowd import design, pairs

from denouement.errors import UserError
from denouement.study.design.names import study_name_mistakes
from denouement.study.store.models import studies


def test_a_new_study_has_another_name_than_the_previews_and_a_stored_one_goes_on(store):
    assert [mistake.keys for mistake in study_name_mistakes("preview")] == [("name",)]
    assert list(study_name_mistakes("previews")) == []
    assert "preview" in " ".join(mistake.text for mistake in replace(design(), name="preview").mistakes())
    store.create(design(), pairs(1))
    store._write(lambda connection: connection.execute(studies.update().values(name="preview")))
    store.edit("preview", title="Another title")
    assert store.design("preview").title == "Another title"
    with pytest.raises(UserError, match="previews"):
        store.copy("preview", "preview")
