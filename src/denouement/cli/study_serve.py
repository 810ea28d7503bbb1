"""`denouement study serve` and `denouement collect serve`: one server for all that is in the store."""

import os

import click

from denouement.cli.study_store import PORT, base_url_option, opened_collections, store_option
from denouement.errors import UserError


@click.command()
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Name or address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: any free one.")
@base_url_option
def serve(url: str, host: str, port: int, base_url: str) -> None:
    """Serve the pages of all studies and collections.

    All that are in the store are served, until Ctrl-C. The token that opens the organiser's pages is read from
    DENOUEMENT_ORGANISER_TOKEN; without it, one is made and printed. docs/study_hosting.md describes how to host a
    study behind TLS.
    """
    import secrets

    from denouement.collect.web.app import create_app
    from denouement.study.web import addresses
    from denouement.study.web.app import serve as serve_app

    given = os.environ.get("DENOUEMENT_ORGANISER_TOKEN", "")
    if given and len(given) < 16:
        raise UserError("DENOUEMENT_ORGANISER_TOKEN: must be 16 characters at least; leave it out to have one made")
    token = given or secrets.token_urlsafe(24)
    store = opened_collections(url, make=False)

    def started(address: str) -> None:
        if not base_url and not addresses.is_local(host):
            click.echo("the links may not work elsewhere: name the address that people open with --base-url", err=True)
        for name in (*store.studies(), *store.collections()):
            by_links = store.campaign(name).entry.kind == "links"
            only = " (by private links only, which the organiser's page has)" if by_links else ""
            click.echo(f"{name}: {base_url or address}/s/{name}/{only}")
        click.echo(f"organiser: {base_url or address}/organiser/" + ("" if given else f" (token: {token})"))

    serve_app(create_app(store, token, base_url), host, port, started)
