"""The addresses of the progress room."""

from django.urls import path

from apps.progress import views

app_name = "progress"
urlpatterns = [path("", views.home, name="home")]
