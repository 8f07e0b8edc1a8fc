"""The addresses of the vault room."""

from django.urls.resolvers import URLPattern

app_name = "vault"
urlpatterns: list[URLPattern] = []
