"""The addresses of the chat room, in the order a visitor meets them."""

from django.urls import path

from apps.chat.views import answers, attachments, conversations, preferences, turns, voice

app_name = "chat"
urlpatterns = [
    path("", conversations.conversation_list, name="conversation_list"),
    path("ask/", turns.ask, name="ask"),
    path("attachments/", attachments.attachment_add, name="attachment_add"),
    path("attachments/<int:attachment_id>/", attachments.attachment, name="attachment"),
    path(
        "attachments/<int:attachment_id>/thumbnail.png",
        attachments.attachment_thumbnail,
        name="attachment_thumbnail",
    ),
    path(
        "attachments/<int:attachment_id>/remove/",
        attachments.attachment_remove,
        name="attachment_remove",
    ),
    path(
        "attachments/<int:attachment_id>/save/",
        attachments.attachment_save,
        name="attachment_save",
    ),
    path("dictation/", voice.dictate, name="dictate"),
    path("model/", preferences.model_choice, name="model_choice"),
    path("instructions/", preferences.instructions, name="instructions"),
    path("prompts/", preferences.prompt_list, name="prompt_list"),
    path("prompts/<int:prompt_id>/delete/", preferences.prompt_delete, name="prompt_delete"),
    path("conversations/", conversations.history, name="history"),
    path("<int:conversation_id>/", conversations.conversation, name="conversation"),
    path("<int:conversation_id>/ask/", turns.ask, name="ask"),
    path(
        "<int:conversation_id>/rename/",
        conversations.conversation_rename,
        name="conversation_rename",
    ),
    path("<int:conversation_id>/pin/", conversations.conversation_pin, name="conversation_pin"),
    path(
        "<int:conversation_id>/export/",
        conversations.conversation_export,
        name="conversation_export",
    ),
    path(
        "<int:conversation_id>/delete/",
        conversations.conversation_delete,
        name="conversation_delete",
    ),
    path("answers/<int:answer_id>/events/", answers.events, name="events"),
    path("answers/<int:answer_id>/stop/", answers.stop, name="stop"),
    path("answers/<int:answer_id>/answer.md", answers.answer_markdown, name="answer_markdown"),
    path("answers/<int:answer_id>/choose/", answers.answer_choose, name="answer_choose"),
    path("turns/<int:turn_id>/", turns.turn, name="turn"),
    path("turns/<int:turn_id>/edit/", turns.turn_edit, name="turn_edit"),
    path("turns/<int:turn_id>/undo/", turns.turn_undo, name="turn_undo"),
    path("turns/<int:turn_id>/retry/", turns.retry, name="retry"),
]
