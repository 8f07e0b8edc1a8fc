"""The addresses of the study room."""

from django.urls.resolvers import URLPattern

app_name = "study"
urlpatterns: list[URLPattern] = []
