"""The addresses of the vault room."""

from django.urls import path

from apps.vault.views import accounts, audit, health, models, tokens

app_name = "vault"
urlpatterns = [
    path("", accounts.home, name="home"),
    path("setup/", accounts.setup, name="setup"),
    path("login/", accounts.login, name="login"),
    path("logout/", accounts.logout, name="logout"),
    path("account/", accounts.account, name="account"),
    path("account/password/", accounts.password, name="password"),
    path("account/tokens/", tokens.token_list, name="token_list"),
    path("account/tokens/create/", tokens.token_create, name="token_create"),
    path("account/tokens/<int:token_id>/revoke/", tokens.token_revoke, name="token_revoke"),
    path("models/", models.models, name="models"),
    path("models/strip/", models.models_strip, name="models_strip"),
    path("models/pull/", models.model_pull, name="model_pull"),
    path("models/cancel/", models.model_cancel, name="model_cancel"),
    path("models/delete/", models.model_delete, name="model_delete"),
    path("audit/", audit.audit, name="audit"),
    path("audit/test/", audit.audit_test, name="audit_test"),
    path("health/", health.health, name="health"),
    path("healthz", health.healthz, name="healthz"),
]
