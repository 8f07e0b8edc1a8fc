"""Django's admin behind the vault's own door: one login for all, and nothing there for members."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase


class Site(admin.AdminSite):
    site_title = site_header = "Vaultsite"

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        guarded = super().admin_view(view, cacheable)

        def door(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.user.is_authenticated and not self.has_permission(request):
                raise Http404
            return guarded(request, *args, **kwargs)  # type: ignore[no-any-return]

        return door

    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The vault's login page, which slows down whoever guesses."""
        if request.user.is_authenticated and not self.has_permission(request):
            raise Http404
        return redirect_to_login(request.GET.get("next", "/admin/"))
