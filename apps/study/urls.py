"""The addresses of the study room."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from apps.study.views import cards, decks, exports, hub, jobs, mindmaps, quizzes, reviews, workshops


class CardFile(StringConverter):
    """What a deck can be exported as."""

    regex = "apkg|csv"


register_converter(CardFile, "cardfile")

app_name = "study"
urlpatterns = [
    path("", hub.home, name="home"),
    path("forecast/", hub.forecast, name="forecast"),
    path("jobs/<int:job_id>/", jobs.job, name="job"),
    path("jobs/<int:job_id>/cancel/", jobs.job_cancel, name="job_cancel"),
    path("jobs/<int:job_id>/continue/", jobs.job_continue, name="job_continue"),
    path("quizzes/", quizzes.quiz_list, name="quiz_list"),
    path("quizzes/new/", quizzes.quiz_new, name="quiz_new"),
    path("quizzes/<int:quiz_id>/", quizzes.quiz, name="quiz"),
    path("quizzes/<int:quiz_id>/play/", quizzes.quiz_play, name="quiz_play"),
    path("quizzes/<int:quiz_id>/rename/", quizzes.quiz_rename, name="quiz_rename"),
    path("quizzes/<int:quiz_id>/delete/", quizzes.quiz_delete, name="quiz_delete"),
    path("quizzes/<int:quiz_id>/export/", exports.quiz_export, name="quiz_export"),
    path("attempts/<int:attempt_id>/", quizzes.attempt, name="attempt"),
    path(
        "attempts/<int:attempt_id>/<int:question_id>/",
        quizzes.attempt_answer,
        name="attempt_answer",
    ),
    path("attempts/<int:attempt_id>/result/", quizzes.result, name="result"),
    path("decks/", decks.deck_list, name="deck_list"),
    path("decks/new/", decks.deck_new, name="deck_new"),
    path("decks/import/", decks.deck_import, name="deck_import"),
    path("decks/<int:deck_id>/export.<cardfile:kind>", decks.deck_export, name="deck_export"),
    path("decks/<int:deck_id>/", decks.deck, name="deck"),
    path("decks/<int:deck_id>/rename/", decks.deck_rename, name="deck_rename"),
    path("decks/<int:deck_id>/delete/", decks.deck_delete, name="deck_delete"),
    path("decks/<int:deck_id>/cards/", cards.card_create, name="card_create"),
    path("cards/<int:card_id>/", cards.card, name="card"),
    path("cards/<int:card_id>/delete/", cards.card_delete, name="card_delete"),
    path("cards/<int:card_id>/mark/", cards.card_mark, name="card_mark"),
    path("cards/<int:card_id>/flip/", cards.card_flip, name="card_flip"),
    path("review/", reviews.review, name="review"),
    path("review/undo/", reviews.review_undo, name="review_undo"),
    path("review/<int:card_id>/show/", reviews.card_show, name="card_show"),
    path("review/<int:card_id>/grade/", reviews.card_grade, name="card_grade"),
    path("workshops/", workshops.workshop_list, name="workshop_list"),
    path("workshops/new/", workshops.workshop_new, name="workshop_new"),
    path("workshops/<int:workshop_id>/", workshops.workshop, name="workshop"),
    path("workshops/<int:workshop_id>/recap/", workshops.workshop_recap, name="workshop_recap"),
    path("workshops/<int:workshop_id>/rename/", workshops.workshop_rename, name="workshop_rename"),
    path("workshops/<int:workshop_id>/delete/", workshops.workshop_delete, name="workshop_delete"),
    path("workshops/<int:workshop_id>/export/", exports.workshop_export, name="workshop_export"),
    path("lessons/<int:lesson_id>/", workshops.lesson, name="lesson"),
    path("lessons/<int:lesson_id>/write/", workshops.lesson_write, name="lesson_write"),
    path("lessons/<int:lesson_id>/complete/", workshops.lesson_complete, name="lesson_complete"),
    path("mindmaps/", mindmaps.mindmap_list, name="mindmap_list"),
    path("mindmaps/new/", mindmaps.mindmap_new, name="mindmap_new"),
    path("mindmaps/<int:mindmap_id>/", mindmaps.mindmap, name="mindmap"),
    path("mindmaps/<int:mindmap_id>/rename/", mindmaps.mindmap_rename, name="mindmap_rename"),
    path("mindmaps/<int:mindmap_id>/delete/", mindmaps.mindmap_delete, name="mindmap_delete"),
    path(
        "mindmaps/<int:mindmap_id>/export/<slug:suffix>/",
        mindmaps.mindmap_export_as,
        name="mindmap_export",
    ),
    path("mindmaps/<int:mindmap_id>/nodes/<str:path>/", mindmaps.node, name="node"),
    path(
        "mindmaps/<int:mindmap_id>/nodes/<str:path>/rename/",
        mindmaps.node_rename,
        name="node_rename",
    ),
    path(
        "mindmaps/<int:mindmap_id>/nodes/<str:path>/delete/",
        mindmaps.node_delete,
        name="node_delete",
    ),
]
