"""Every address of the site, room by room."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("apps.vault.urls")),
    path("chat/", include("apps.chat.urls")),
    path("", include("apps.library.urls")),
    path("study/", include("apps.study.urls")),
    path("progress/", include("apps.progress.urls")),
    path("", include("apps.web.urls")),
    path("api/", include("apps.vault.api.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "apps.web.views.bad_request"
handler403 = "apps.web.views.forbidden"
handler404 = "apps.web.views.not_found"
handler500 = "apps.web.views.broken"
