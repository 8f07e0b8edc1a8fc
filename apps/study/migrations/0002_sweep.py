"""The sweep as a schedule: whatever a crash left unfinished goes on within a minute."""

from django.db import migrations


def schedule(apps, _editor):
    apps.get_model("django_q", "Schedule").objects.update_or_create(
        name="study: sweep",
        defaults={
            "func": "apps.study.tasks.sweep",
            "schedule_type": "I",
            "minutes": 1,
            "repeats": -1,
        },
    )


def unschedule(apps, _editor):
    apps.get_model("django_q", "Schedule").objects.filter(name="study: sweep").delete()


class Migration(migrations.Migration):
    dependencies = [("study", "0001_initial"), ("django_q", "0018_task_success_index")]
    operations = [migrations.RunPython(schedule, unschedule)]
