"""The application: the API, the pages and the open tables behind one guard."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from litestar import Litestar
from litestar.exceptions import HTTPException
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin, YamlRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.types import Scope

from gambeson import __version__
from gambeson.model.errors import GambesonError
from gambeson.server.api import HANDLERS
from gambeson.server.counting import Counting
from gambeson.server.faults import HANDLED
from gambeson.server.guard import App, Guard, Limiter, TooFast
from gambeson.server.pages import PAGES
from gambeson.server.room import Busy
from gambeson.server.rooms import Rooms
from gambeson.server.settings import Settings
from gambeson.table.stores import Store

logger = logging.getLogger("gambeson.server")


class Server:
    """The application over a store: `app` is what a web server runs, `rooms` are the open tables."""

    def __init__(self, store: Store, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.rooms = Rooms(store, self.settings)
        self.litestar = self._litestar()
        self.app: App = Guard(self.litestar, self.settings)  # type: ignore[arg-type]

    def _litestar(self) -> Litestar:
        rooms = self.rooms

        @asynccontextmanager
        async def lifespan(app: Litestar) -> AsyncIterator[None]:
            await rooms.start()
            try:
                yield
            finally:
                await rooms.stop()

        app = Litestar(
            route_handlers=[*HANDLERS, *PAGES],
            lifespan=[lifespan],
            exception_handlers=HANDLED,
            openapi_config=_openapi(),
            request_max_body_size=None,
            logging_config=None,
            after_exception=[_log_unexpected],
        )
        app.state.rooms = rooms
        app.state.limiter = Limiter()
        app.state.counting = Counting()
        return app


async def _log_unexpected(error: Exception, scope: Scope) -> None:
    """A fault of ours is logged with its trace; what is answered to people is not."""
    if not isinstance(error, HTTPException | GambesonError | TooFast | Busy):
        logger.error("%s failed", scope["path"], exc_info=error)


def _openapi() -> OpenAPIConfig:
    bearer = SecurityScheme(type="http", scheme="bearer", description="the token of a seat")
    return OpenAPIConfig(
        title="gambeson",
        version=__version__,
        description="The live table: commands, answers, views and events.",
        path="/schema",
        render_plugins=[JsonRenderPlugin(), YamlRenderPlugin()],
        components=Components(security_schemes={"token": bearer}),
        security=[{"token": []}],
    )
