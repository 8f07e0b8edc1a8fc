"""What was quoted of a deleted document is forgotten; the answers stay."""

from apps.chat.models import Answer, Citation, Conversation, Step, Turn
from apps.library import ingestion
from apps.study.models import Question, Quiz
from tests.library.passages import document

QUOTE = "The tenant must give notice of three months."


def test_a_deleted_document_takes_its_quotes_along(alice, workspace):
    lease, other = (document(workspace, name, [QUOTE]) for name in ("Lease.pdf", "Other.pdf"))
    talk = Conversation.objects.create(owner=alice, workspace=workspace)
    turn = Turn.objects.create(conversation=talk, question="How long?")
    answer = Answer.objects.create(turn=turn, text="Three months [1].", state="finished")
    quiz = Quiz.objects.create(owner=alice, workspace=workspace, title="Lease")
    for number, source in enumerate((lease, other), 1):
        chunk = source.chunks.get()
        place = {"kind": "page", "place": 1, "label": "page 1", "score": 1.0}
        Citation.objects.create(
            answer=answer,
            number=number,
            chunk=chunk,
            document=source,
            document_name=source.name,
            quote=QUOTE,
            **place,
        )
        body = {"number": number, "document": source.pk, "quote": QUOTE}
        Step.objects.create(answer=answer, number=number, kind="found", body=body)
        Question.objects.create(
            quiz=quiz,
            ordinal=number,
            type="mcq",
            stem="?",
            options=["a"],
            answer=0,
            quote=QUOTE,
            document=source,
        )
    lease.file.name = "documents/none"
    lease.save(update_fields=["file"])
    ingestion.discard(lease)
    assert list(Citation.objects.values_list("quote", flat=True)) == ["", QUOTE]
    assert [step.body["quote"] for step in Step.objects.order_by("number")] == ["", QUOTE]
    assert list(Question.objects.values_list("quote", flat=True)) == ["", QUOTE]
    answer.refresh_from_db()
    assert answer.text == "Three months [1]."
