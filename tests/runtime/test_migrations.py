"""Data of a newer version is left alone."""

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from vaultsite.runtime import migrations


@pytest.mark.django_db
def test_data_of_a_newer_version_is_refused_in_a_sentence() -> None:
    MigrationRecorder(connection).record_applied("library", "9999_of_tomorrow")
    with pytest.raises(migrations.NewerData, match=r"newer .* library\.9999_of_tomorrow.*Update"):
        migrations.migrate()


@pytest.mark.django_db
def test_as_a_program_it_tells_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    assert migrations.main() == 0 and capsys.readouterr().out == "0 migrations applied\n"


@pytest.mark.django_db
def test_as_a_program_it_refuses_newer_data(capsys: pytest.CaptureFixture[str]) -> None:
    MigrationRecorder(connection).record_applied("library", "9999_of_tomorrow")
    assert migrations.main() == 1 and "newer Vaultsite" in capsys.readouterr().err


@pytest.mark.django_db
def test_what_an_app_that_is_gone_has_left_is_no_matter() -> None:
    MigrationRecorder(connection).record_applied("gone", "0001_initial")
    assert migrations.migrate() == 0
