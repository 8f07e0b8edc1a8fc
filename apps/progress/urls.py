"""The addresses of the progress room."""

from django.urls.resolvers import URLPattern

app_name = "progress"
urlpatterns: list[URLPattern] = []
