"""The outbound room's entry in Django's list."""

from django.apps import AppConfig


class OutboundConfig(AppConfig):
    name = "apps.outbound"
    label = "outbound"
