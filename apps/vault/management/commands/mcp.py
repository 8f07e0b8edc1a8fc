"""`manage.py mcp`: the vault as a tool of an assistant, over stdin and stdout or over HTTP."""

from argparse import ArgumentParser
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from apps.library import workspaces
from apps.vault import mcp_server, terminal
from apps.web.database import borrowed


class Command(BaseCommand):
    help = "Serve the vault to assistants by MCP: search, ask, read, due cards, weak topics."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--owner", help="whose vault; needed where there are several people")
        parser.add_argument("--workspace", help="this one alone; all of theirs if not given")
        parser.add_argument(
            "--allow-writes", action="store_true", help="also let the assistant add documents"
        )
        parser.add_argument(
            "--http", action="store_true", help="over HTTP on 127.0.0.1, for whoever has a token"
        )
        parser.add_argument(
            "--port", type=int, default=settings.MCP_PORT or 8765, help="with --http"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["http"] and (options["owner"] or options["workspace"]):
            raise CommandError("Over HTTP the token says whose vault it is: leave --owner out.")
        with mcp_server.ModelServer() as models:
            if options["http"]:
                self._over_http(models, options)
            else:
                self._over_stdio(models, options)

    def _over_stdio(self, models: mcp_server.ModelServer, options: dict[str, Any]) -> None:
        try:
            with borrowed():
                person = terminal.person(options["owner"])
                name = options["workspace"]
                workspace = workspaces.of_person(person, name) if name else None
        except LookupError as error:
            raise CommandError(str(error)) from error
        writes = options["allow_writes"]
        mcp_server.for_person(person, workspace, models, writes=writes).run("stdio")

    def _over_http(self, models: mcp_server.ModelServer, options: dict[str, Any]) -> None:
        application = mcp_server.for_tokens(models, writes=options["allow_writes"])
        address = f"http://{mcp_server.HOST}:{options['port']}/mcp"
        self.stderr.write(f"Assistants with a token come in at {address}")
        uvicorn.run(
            application,
            host=mcp_server.HOST,
            port=options["port"],
            log_level="warning",
            access_log=False,
            server_header=False,
        )
