"""The addresses of the chat room."""

from django.urls.resolvers import URLPattern

app_name = "chat"
urlpatterns: list[URLPattern] = []
