"""The web room's entry in Django's list."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "apps.web"
    label = "web"
