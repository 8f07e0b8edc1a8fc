"""The addresses of the library room."""

from django.urls.resolvers import URLPattern

app_name = "library"
urlpatterns: list[URLPattern] = []
