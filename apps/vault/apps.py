"""The vault room's entry in Django's list."""

from django.apps import AppConfig


class VaultConfig(AppConfig):
    name = "apps.vault"
    label = "vault"

    def ready(self) -> None:
        from apps.vault.shell import outbound
        from apps.web import rail

        rail.PARTS["outbound"] = outbound
