"""The addresses of the web room."""

from django.urls import path

from apps.web import views

app_name = "web"
urlpatterns = [
    path("theme/", views.theme, name="theme"),
    path("language/", views.language, name="language"),
    path("keys/", views.keys, name="keys"),
    path("shortcuts/", views.shortcuts, name="shortcuts"),
    path("styleguide/", views.styleguide, name="styleguide"),
]
