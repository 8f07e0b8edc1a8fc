#!/usr/bin/env python
"""Vaultsite's command line."""

import os
import sys

from apps.outbound import guard


def main() -> None:
    guard.arm(f"command {' '.join(sys.argv[1:2])}")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vaultsite.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from vaultsite.runtime import migrations, postgres

    try:
        _ = settings.INSTALLED_APPS  # read now, so that a wrong one is told in a sentence
        with postgres.for_command(sys.argv):
            migrations.for_command(sys.argv)
            execute_from_command_line(sys.argv)
    except (postgres.PostgresError, ImproperlyConfigured) as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
