"""A worker to be killed: `python -m tests.library.worker MEDIA_ROOT OLLAMA_HOST`.

It does what tasks of the real worker do, over and over, in the database named by DATABASE_URL,
and ends when nothing is left to do.
"""

import os
import sys
import time

PAUSE = 0.05  # seconds, while what is left waits for its time


def main(media_root: str, ollama_host: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "vaultsite.settings"
    os.environ["OLLAMA_HOST"] = ollama_host
    os.environ["DATABASE_POOL"] = "0"

    import django
    from django.conf import settings

    django.setup()
    settings.MEDIA_ROOT = media_root
    from apps.library import ingestion, watching
    from apps.library.models import Document

    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while watching.due() or Document.objects.unfinished().exists():
        watching.look_where_due(seconds=0.2)
        if ingestion.work_next(seconds=1.0) == "idle":
            time.sleep(PAUSE)


if __name__ == "__main__":
    main(*sys.argv[1:])
