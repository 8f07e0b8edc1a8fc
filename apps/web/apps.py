"""The web room's entry in Django's list, and the one of Django's admin as the vault shows it."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin


class WebConfig(AppConfig):
    name = "apps.web"
    label = "web"

    def ready(self) -> None:
        from apps.web import keys, rail

        rail.PARTS["keys"] = keys.kept


class AdminConfig(admin.AdminConfig):
    default = False
    default_site = "apps.web.administration.Site"
