"""The addresses of the vault room."""

from django.urls import path

from apps.vault.views import accounts

app_name = "vault"
urlpatterns = [
    path("", accounts.home, name="home"),
    path("setup/", accounts.setup, name="setup"),
    path("login/", accounts.login, name="login"),
    path("logout/", accounts.logout, name="logout"),
    path("account/", accounts.account, name="account"),
    path("account/password/", accounts.password, name="password"),
]
