import pytest

from tasks import tracking


@pytest.fixture
def database(tmp_path, monkeypatch):
    """An MLflow database of the test's own."""
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    monkeypatch.setitem(tracking.ENVIRONMENT, "MLFLOW_TRACKING_URI", uri)
    monkeypatch.setattr(tracking, "ARTIFACTS", tmp_path / "mlartifacts")
