"""The study room's entry in Django's list."""

from django.apps import AppConfig


class StudyConfig(AppConfig):
    name = "apps.study"
    label = "study"
