"""No question twice: not in the quiz, and not against any earlier one of the vault."""

from apps.study import quality
from apps.study.models import Question

RECENT = 2000  # earlier questions that are compared by their words


def fault(question: Question) -> str:
    """Why it is not new, "" if it is.

    The same passage may be asked about again, but not for the same answer.
    """
    earlier = (
        Question.objects.filter(quiz__owner=question.quiz.owner_id)
        .order_by("-pk")
        .values_list("stem", "options", "answer", "chunk_id")[:RECENT]
    )
    stems = []
    right = quality.plain(question.options[question.answer])
    for stem, options, answer, chunk in earlier:
        stems.append(stem)
        same = chunk == question.chunk_id and question.type == Question.Type.MCQ
        if same and quality.plain(options[answer]) == right:
            return "the same passage was asked for the same answer"
    return "it repeats an earlier question" if quality.repeats(question.stem, stems) else ""
