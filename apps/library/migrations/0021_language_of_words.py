"""Finds the passages in a language of which a workspace holds little."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0020_kept_rule")]

    operations = [
        migrations.AddIndex(
            "ChunkWords",
            models.Index(fields=["workspace_id", "language"], name="chunk_words_language"),
        ),
    ]
