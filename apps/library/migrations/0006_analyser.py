"""Which passages an older analyser left is asked each minute: by an index."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0005_scrub")]
    operations = [
        migrations.AddIndex(
            "chunkwords", models.Index(fields=["analyser"], name="chunk_words_analyser")
        )
    ]
