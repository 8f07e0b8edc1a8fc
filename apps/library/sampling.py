"""What search sees of a question, for those who fit or move the rule that judges it."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.library import abroad, analysis, compounds, ranking, relevance, rereading
from apps.library.meaning import question_vector
from apps.library.models import EmbeddingSet, LanguageCentroid, WordStatistic, Workspace
from apps.library.ranking import Ranked


@dataclass(frozen=True, slots=True)
class Seen:
    """A question, and the passages found for it."""

    asked: analysis.Question
    found: list[Ranked]


def look(
    workspace: Workspace,
    question: str,
    used: EmbeddingSet,
    documents: Sequence[int] | None = None,
) -> Seen:
    """The passages of these documents, of all where None, with vectors of the set in use.

    At most `ranking.DEPTH`, read again as in search. Raises ModelError.
    """
    statistic = WordStatistic.of(workspace) or WordStatistic()
    asked = compounds.question(workspace, question, statistic.languages, statistic.spoken)
    vector = question_vector(used.model, question)
    found = ranking.rank(
        workspace,
        asked,
        vector=vector,
        embedding_set=used.pk,
        usual=relevance.calibration(used.model).usual,
        documents=documents,
        languages=LanguageCentroid.counted(workspace, used),
    )
    again = rereading.reread(
        workspace,
        question,
        found,
        vector=vector,
        model=used.model,
        embedding_set=used.pk,
        languages=statistic.languages,
        passages=statistic.passages,
        abroad=abroad.passages(found, abroad.spoken(found, asked.language)),
    )
    return Seen(asked, again)
