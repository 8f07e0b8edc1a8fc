#!/usr/bin/env python
"""Vaultsite's command line."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vaultsite.settings")
    from django.core.management import execute_from_command_line

    from vaultsite.runtime import postgres

    with postgres.for_command(sys.argv):
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
