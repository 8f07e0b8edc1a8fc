"""When a document was last changed; of watched folders it is known already."""

from django.db import migrations, models

FILL = """
UPDATE library_document SET changed_at = to_timestamp(entry.changed / 1e9)
FROM library_folderentry AS entry
WHERE entry.document_id = library_document.id
  AND entry.changed BETWEEN 315619200000000000 AND extract(epoch FROM now()) * 1e9
"""


class Migration(migrations.Migration):
    dependencies = [("library", "0018_language_centroids")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="changed_at",
            field=models.DateTimeField(null=True, verbose_name="last changed"),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
