"""The addresses of the chat room, in the order a visitor meets them."""

from django.urls import path

from apps.chat import views

app_name = "chat"
urlpatterns = [
    path("", views.conversation_list, name="conversation_list"),
    path("ask/", views.ask, name="ask"),
    path("<int:conversation_id>/", views.conversation, name="conversation"),
    path("<int:conversation_id>/ask/", views.ask, name="ask"),
    path("<int:conversation_id>/rename/", views.conversation_rename, name="conversation_rename"),
    path("<int:conversation_id>/delete/", views.conversation_delete, name="conversation_delete"),
    path("answers/<int:answer_id>/events/", views.events, name="events"),
    path("answers/<int:answer_id>/stop/", views.stop, name="stop"),
    path("answers/<int:answer_id>/answer.md", views.answer_markdown, name="answer_markdown"),
    path("turns/<int:turn_id>/retry/", views.retry, name="retry"),
]
