"""Long words by their ends: a German compound is found by its last part."""

from django.db import migrations

MAKE = """
CREATE INDEX term_statistic_ends ON library_termstatistic (workspace_id, reverse(word))
WHERE length(word) >= 9
"""


class Migration(migrations.Migration):
    dependencies = [("library", "0014_looks_again")]
    operations = [migrations.RunSQL(MAKE, "DROP INDEX term_statistic_ends")]
