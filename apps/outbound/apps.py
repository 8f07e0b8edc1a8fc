"""The outbound room's entry in Django's list."""

from django.apps import AppConfig

from apps.outbound import guard


class OutboundConfig(AppConfig):
    name = "apps.outbound"
    label = "outbound"

    def ready(self) -> None:
        """Whatever runs the vault's code is watched, also what was started in another way."""
        guard.arm("other")
