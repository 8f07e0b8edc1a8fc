"""Each hour the worker looks whether a backup is due."""

from django.db import migrations


def schedule(apps, _editor):
    apps.get_model("django_q", "Schedule").objects.update_or_create(
        name="vault: backup",
        defaults={"func": "apps.vault.tasks.back_up_if_due", "schedule_type": "H", "repeats": -1},
    )


def unschedule(apps, _editor):
    apps.get_model("django_q", "Schedule").objects.filter(name="vault: backup").delete()


class Migration(migrations.Migration):
    dependencies = [("vault", "0001_tokens"), ("django_q", "0018_task_success_index")]
    operations = [migrations.RunPython(schedule, unschedule)]
