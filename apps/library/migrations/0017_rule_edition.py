"""A learned rule holds for one edition of the rule, not for an analyser alone."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("library", "0016_learned_rule")]

    operations = [migrations.RenameField("learnedrule", "analyser", "edition")]
