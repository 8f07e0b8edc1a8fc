"""When an attached file itself was last changed, for the document it may become."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0005_notice_and_sweep")]

    operations = [
        migrations.AddField(
            model_name="attachment",
            name="changed_at",
            field=models.DateTimeField(null=True),
        ),
    ]
