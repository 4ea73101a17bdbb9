"""A client of Labelwright's API.

`labelwright.api` has a module for each operation, such as `labelwright.api.items.import_items`, with functions `sync`
and `asyncio`; `labelwright.models` has what they take and give. This module has what every program needs around them.
"""

import json
import os
from collections.abc import Iterator
from typing import Any, TypeVar

from .client import AuthenticatedClient
from .models import Problem

__all__ = ["AuthenticatedClient", "Refused", "checked", "connect", "read_lines"]
__version__ = "0.0.0"

T = TypeVar("T")


class Refused(Exception):
    """The server refused a request. `problem` has its code, its detail and the place of each fault."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail or problem.title)
        self.problem = problem


def connect(server: str = "", token: str = "") -> AuthenticatedClient:
    """Returns a client of a server with a token; without them, of LABELWRIGHT_SERVER with LABELWRIGHT_TOKEN."""
    server = server or os.environ["LABELWRIGHT_SERVER"]
    return AuthenticatedClient(
        base_url=server.rstrip("/") + "/api/v1",
        token=token or os.environ["LABELWRIGHT_TOKEN"],
        raise_on_unexpected_status=True,
    )


def checked(answer: T | Problem | None) -> T:
    """Returns what an operation gave, or raises Refused with what it refused."""
    if isinstance(answer, Problem):
        raise Refused(answer)
    assert answer is not None
    return answer


def read_lines(client: AuthenticatedClient, path: str, **query: Any) -> Iterator[dict[str, Any]]:
    """Yields the rows of an operation that gives JSON lines, such as "/projects/pilot/annotations", one at a time."""
    with client.get_httpx_client().stream("GET", path, params=query) as response:
        if response.status_code != 200:
            response.read()
            raise Refused(Problem.from_dict(response.json()))
        for line in response.iter_lines():
            yield json.loads(line)
