"""Keep what an answer could not use, and sweep up after answers and unsent files by a schedule."""

from django.db import migrations, models


def schedule(apps, _editor):
    apps.get_model("django_q", "Schedule").objects.update_or_create(
        name="chat: sweep",
        defaults={
            "func": "apps.chat.tasks.sweep",
            "schedule_type": "I",
            "minutes": 5,
            "repeats": -1,
        },
    )


def unschedule(apps, _editor):
    apps.get_model("django_q", "Schedule").objects.filter(name="chat: sweep").delete()


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0004_tools_claims_memory"),
        ("django_q", "0018_task_success_index"),
    ]
    operations = [
        migrations.AddField("answer", "notice", models.TextField(blank=True)),
        migrations.RunPython(schedule, unschedule),
    ]
