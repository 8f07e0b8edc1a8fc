"""What is swept up after answers."""

from datetime import timedelta

from django.utils import timezone

from apps.chat import tasks
from apps.chat.models import Conversation


def test_the_sweep_ends_what_broke_off_and_drops_old_steps(db, alice, workspace):
    turn = Conversation.objects.create(owner=alice, workspace=workspace).turns.create(question="?")
    long_ago = timezone.now() - timedelta(hours=2)
    broken = turn.answers.create(pulse=long_ago)
    ended = turn.answers.create(version=2, state="finished", text="So.", pulse=long_ago)
    for answer in (broken, ended):
        answer.steps.create(number=1, kind="wrote", body={"text": "So."})
    tasks.sweep()
    broken.refresh_from_db()
    assert (broken.state, broken.text) == ("broken off", "So.")
    assert not ended.steps.exists()
