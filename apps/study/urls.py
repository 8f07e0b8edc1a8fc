"""The addresses of the study room."""

from django.urls import path

from apps.study import views

app_name = "study"
urlpatterns = [path("", views.home, name="home")]
