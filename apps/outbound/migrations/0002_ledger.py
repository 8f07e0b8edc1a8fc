"""What the ledger file tells of an attempt, how far it was read, and who reads it each minute."""

from django.db import migrations, models


def schedule(apps, _editor):
    apps.get_model("django_q", "Schedule").objects.update_or_create(
        name="outbound: ledger",
        defaults={
            "func": "apps.outbound.tasks.take_in",
            "schedule_type": "I",
            "minutes": 1,
            "repeats": -1,
        },
    )


def unschedule(apps, _editor):
    apps.get_model("django_q", "Schedule").objects.filter(name="outbound: ledger").delete()


class Migration(migrations.Migration):
    dependencies = [("outbound", "0001_initial"), ("django_q", "0018_task_success_index")]

    operations = [
        migrations.AlterField("attempt", "at", models.DateTimeField(db_index=True)),
        migrations.AddField("attempt", "pid", models.PositiveIntegerField(default=0)),
        migrations.AddField("attempt", "how", models.CharField(default="connect", max_length=20)),
        migrations.CreateModel(
            name="Watch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("since", models.DateTimeField(auto_now_add=True)),
                ("offsets", models.JSONField(default=dict)),
                ("left", models.PositiveBigIntegerField(default=0)),
                ("refused", models.PositiveBigIntegerField(default=0)),
            ],
        ),
        migrations.RunPython(schedule, unschedule),
    ]
