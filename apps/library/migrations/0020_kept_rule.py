"""What is in use while it is learned anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0019_changed_at")]

    operations = [
        migrations.AddField(
            model_name="learnedrule", name="kept", field=models.JSONField(default=dict)
        ),
    ]
