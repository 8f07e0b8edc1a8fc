"""What a file says inside of when it was changed, apart from the time of the file."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0021_language_of_words")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="written_at",
            field=models.DateTimeField(null=True),
        ),
    ]
