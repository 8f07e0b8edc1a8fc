"""The addresses of the progress room."""

from datetime import date

from django.urls import path, register_converter

from apps.progress import views


class IsoDate:
    """A date in an address: 2026-11-29."""

    regex = r"\d{4}-\d{2}-\d{2}"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(value)  # a ValueError means the address does not match

    def to_url(self, value: date) -> str:
        return value.isoformat()


register_converter(IsoDate, "isodate")
app_name = "progress"
urlpatterns = [
    path("", views.home, name="home"),
    path("days/<isodate:day>/", views.day, name="day"),
    path("badges/<slug:code>/", views.badge, name="badge"),
    path("strip/", views.strip, name="strip"),
    path("zone/", views.zone, name="zone"),
    path("export.<slug:form>", views.export, name="export"),
    path("import/", views.import_, name="import"),
]
