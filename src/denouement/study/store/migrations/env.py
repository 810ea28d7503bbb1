"""What Alembic runs: migrations inside the transaction of `config.attributes["connection"]`."""

from alembic import context

from denouement.study.store.models import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
