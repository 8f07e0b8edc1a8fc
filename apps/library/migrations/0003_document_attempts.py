"""Ask for the sweep each minute, and count the slices that ended without a word."""

from django.db import migrations, models


def add_sweep(apps, schema_editor):
    apps.get_model("django_q", "Schedule").objects.update_or_create(
        name="library: sweep",
        defaults={
            "func": "apps.library.tasks.sweep",
            "schedule_type": "I",
            "minutes": 1,
            "repeats": -1,
        },
    )


def remove_sweep(apps, schema_editor):
    apps.get_model("django_q", "Schedule").objects.filter(name="library: sweep").delete()


class Migration(migrations.Migration):
    dependencies = [("library", "0002_storage"), ("django_q", "0018_task_success_index")]
    operations = [
        migrations.RemoveField("document", "cancel_asked"),
        migrations.AddField(
            "document", "attempts", models.PositiveSmallIntegerField(default=0)
        ),
        migrations.AddField("document", "next_try", models.DateTimeField(null=True)),
        migrations.RunPython(add_sweep, remove_sweep),
    ]
