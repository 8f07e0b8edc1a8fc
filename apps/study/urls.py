"""The addresses of the study room."""

from django.urls import path

from apps.study.views import hub, jobs, quizzes

app_name = "study"
urlpatterns = [
    path("", hub.home, name="home"),
    path("jobs/<int:job_id>/", jobs.job, name="job"),
    path("jobs/<int:job_id>/cancel/", jobs.job_cancel, name="job_cancel"),
    path("jobs/<int:job_id>/continue/", jobs.job_continue, name="job_continue"),
    path("quizzes/", quizzes.quiz_list, name="quiz_list"),
    path("quizzes/new/", quizzes.quiz_new, name="quiz_new"),
    path("quizzes/<int:quiz_id>/", quizzes.quiz, name="quiz"),
    path("quizzes/<int:quiz_id>/play/", quizzes.quiz_play, name="quiz_play"),
    path("quizzes/<int:quiz_id>/rename/", quizzes.quiz_rename, name="quiz_rename"),
    path("quizzes/<int:quiz_id>/delete/", quizzes.quiz_delete, name="quiz_delete"),
    path("attempts/<int:attempt_id>/", quizzes.attempt, name="attempt"),
    path(
        "attempts/<int:attempt_id>/<int:question_id>/",
        quizzes.attempt_answer,
        name="attempt_answer",
    ),
    path("attempts/<int:attempt_id>/result/", quizzes.result, name="result"),
]
