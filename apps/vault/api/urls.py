"""The addresses of the API."""

from django.urls import path

from apps.vault.api import docs
from apps.vault.api.site import api

app_name = "api"
urlpatterns = [
    path("docs", docs.docs, name="docs"),
    path("openapi.json", docs.openapi, name="openapi"),
    *api.urls[0],
]
