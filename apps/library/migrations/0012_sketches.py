"""Room for the sketch of each passage: bits that do not compress, kept beside the rows scanned."""

from django.db import migrations, models

BESIDE = """
ALTER TABLE library_chunkvector ALTER COLUMN sketch SET STORAGE EXTERNAL;
ALTER TABLE library_chunkvector SET (toast_tuple_target = 1024);
"""


class Migration(migrations.Migration):
    dependencies = [("library", "0011_saved_searches")]
    operations = [
        migrations.AddField("chunkvector", "sketch", models.BinaryField(null=True)),
        migrations.RunSQL(BESIDE, migrations.RunSQL.noop),
        migrations.AddIndex(
            "chunkvector",
            models.Index(
                fields=["chunk"],
                condition=models.Q(sketch=None),
                name="chunk_vector_unsketched",
            ),
        ),
    ]
