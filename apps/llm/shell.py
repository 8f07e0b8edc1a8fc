"""What the frame of every page shows of models: the downloads that are running."""

from typing import Any

from django.http import HttpRequest

from apps.llm.downloads import pulls


def context(request: HttpRequest) -> dict[str, Any]:
    return {"shell_pulls": [pull for pull in pulls() if pull.state == "running"]}
