"""The addresses of the vault room."""

from django.urls import path

from apps.vault.views import (
    accounts,
    audit,
    backups,
    health,
    models,
    palette,
    people,
    sessions,
    tokens,
)

app_name = "vault"
urlpatterns = [
    path("", accounts.home, name="home"),
    path("go/", palette.palette, name="palette"),
    path("setup/", accounts.setup, name="setup"),
    path("login/", accounts.login, name="login"),
    path("logout/", accounts.logout, name="logout"),
    path("account/", accounts.account, name="account"),
    path("account/password/", accounts.password, name="password"),
    path("account/tokens/", tokens.token_list, name="token_list"),
    path("account/tokens/create/", tokens.token_create, name="token_create"),
    path("account/tokens/<int:token_id>/revoke/", tokens.token_revoke, name="token_revoke"),
    path("account/browsers/", sessions.browsers, name="browsers"),
    path("account/browsers/end/", sessions.browsers_end, name="browsers_end"),
    path("account/browsers/<str:browser_id>/end/", sessions.browser_end, name="browser_end"),
    path("account/people/", people.people, name="people"),
    path("account/people/unlock/", people.unlock, name="unlock"),
    path("account/people/<int:person_id>/link/", people.person_link, name="person_link"),
    path("account/people/<int:person_id>/role/", people.person_role, name="person_role"),
    path("account/people/<int:person_id>/active/", people.person_active, name="person_active"),
    path("account/people/<int:person_id>/delete/", people.person_delete, name="person_delete"),
    path("welcome/<str:number>/<str:token>/", people.welcome, name="welcome"),
    path("models/", models.models, name="models"),
    path("models/strip/", models.models_strip, name="models_strip"),
    path("models/pull/", models.model_pull, name="model_pull"),
    path("models/cancel/", models.model_cancel, name="model_cancel"),
    path("models/meaning/choose/", models.embedding_choose, name="embedding_choose"),
    path("models/meaning/discard/", models.embedding_discard, name="embedding_discard"),
    path("models/delete/", models.model_delete, name="model_delete"),
    path("audit/", audit.audit, name="audit"),
    path("audit/test/", audit.audit_test, name="audit_test"),
    path("backups/", backups.backups, name="backups"),
    path("backups/make/", backups.backup_make, name="backup_make"),
    path("backups/<str:name>/", backups.backup_download, name="backup_download"),
    path("health/", health.health, name="health"),
    path("healthz", health.healthz, name="healthz"),
]
