"""Each night PostgreSQL's files forget what was deleted during the day."""

from datetime import timedelta

from django.db import migrations
from django.utils import timezone


def schedule(apps, _editor):
    night = timezone.now().replace(hour=3, minute=30, second=0, microsecond=0) + timedelta(days=1)
    apps.get_model("django_q", "Schedule").objects.update_or_create(
        name="library: scrub",
        defaults={
            "func": "apps.library.tasks.scrub_all",
            "schedule_type": "D",
            "repeats": -1,
            "next_run": night,
        },
    )


def unschedule(apps, _editor):
    apps.get_model("django_q", "Schedule").objects.filter(name="library: scrub").delete()


class Migration(migrations.Migration):
    dependencies = [("library", "0004_coverage"), ("django_q", "0018_task_success_index")]
    operations = [migrations.RunPython(schedule, unschedule)]
