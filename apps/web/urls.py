"""The addresses of the web room."""

from django.urls.resolvers import URLPattern

app_name = "web"
urlpatterns: list[URLPattern] = []
