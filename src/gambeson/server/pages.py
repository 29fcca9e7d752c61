"""Pages for people: the ways in, the screens of a table, and what they send."""

from __future__ import annotations

from html import escape

from litestar import Response, Router, get
from litestar.exceptions import NotFoundException, PermissionDeniedException

from gambeson.server.access import cookie_name
from gambeson.server.forms import Id
from gambeson.server.page.acting import ACTING
from gambeson.server.page.chances import CHANCES
from gambeson.server.page.drawing import answered, words
from gambeson.server.page.entering import ENTERING
from gambeson.server.page.files import FILES
from gambeson.server.page.looks import AnyRequest, looks_of
from gambeson.server.page.screens import SCREENS
from gambeson.server.page.screens import show as show_table
from gambeson.server.page.seating import SEATING
from gambeson.server.page.serving import denied, lost


@get("/t/{id:str}", include_in_schema=False)
async def table(request: AnyRequest, id: Id) -> Response[str]:
    """The table as this seat sees it."""
    cross = request.headers.get("sec-fetch-site") == "cross-site"
    if cross and cookie_name(id) not in request.cookies and "again" not in request.query_params:
        # A link in another site's page leads here without the strict cookie: coming again from here brings it along.
        lang = looks_of(request).lang
        target = f"/t/{escape(id, quote=True)}?again=1"
        t = words(None, lang)
        said = escape(t("again"))
        head = f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><title>gambeson</title>'
        return answered(f'{head}<meta http-equiv="refresh" content="0;url={target}"><p>{said}</p></html>')
    return await show_table(request, id)


PAGES = (
    Router(
        path="/",
        route_handlers=[table, *SCREENS, *ACTING, *CHANCES, *SEATING, *ENTERING, *FILES],
        exception_handlers={NotFoundException: lost, PermissionDeniedException: denied},
    ),
)
