"""The mean vector of each language of a workspace, computed at once for what is there."""

import django.db.models.deletion
import pgvector.django.halfvec
from django.db import migrations, models

FILL = """
WITH counted AS (
    SELECT embedding_set_id, workspace_id, language, count(*) AS passages,
           avg(embedding) AS centroid
    FROM library_chunkvector JOIN library_chunkwords USING (chunk_id, workspace_id)
    WHERE embedding <#> embedding < 0 AND language <> ''
    GROUP BY embedding_set_id, workspace_id, language HAVING count(*) >= 5
), several AS (
    SELECT *, count(*) OVER (PARTITION BY embedding_set_id, workspace_id) AS languages FROM counted
)
INSERT INTO library_languagecentroid
    (embedding_set_id, workspace_id, language, passages, centroid)
SELECT embedding_set_id, workspace_id, language, passages, centroid FROM several
WHERE languages > 1
"""


class Migration(migrations.Migration):
    dependencies = [("library", "0017_rule_edition")]

    operations = [
        migrations.CreateModel(
            name="LanguageCentroid",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "embedding_set_id",
                        "workspace_id",
                        "language",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("language", models.CharField(max_length=2)),
                ("passages", models.IntegerField()),
                ("centroid", pgvector.django.halfvec.HalfVectorField()),
                (
                    "embedding_set",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="library.embeddingset",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="library.workspace"
                    ),
                ),
            ],
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
