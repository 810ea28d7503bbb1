"""From templates to pages: those of collections, which extend and include those of studies."""

from functools import partial

from denouement.study.web import render

PACKAGE = "denouement.collect.web"

page = partial(render.page, package=PACKAGE)
"""As `study.web.render.page`, from the templates of collections first."""
