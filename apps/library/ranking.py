"""The one statement that finds passages: by words and by meaning, fused by how much each leg says.

Words: BM25 over the slots of the question, titles and headings with more weight. Meaning: exact
inner product of unit vectors. Fusion: reciprocal ranks, each vote worth the leg's absolute
strength, so that a leg with nothing to say does not vote. Constants were measured on eleven sets.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.library import graphs, slots
from apps.library.analysis import Question
from apps.library.models import Workspace

SEVERAL = 1_000  # passages nearest in meaning that are looked at where there are several languages
LITTLE = 1_000  # passages in one of them; so few are looked at wholly
SEATS = 5  # of each of them that are handed on wherever they stand
DEPTH = 50  # passages each leg hands to the fusion, and the most that is found
CONSTANTS = {
    "k1": 1.2,  # BM25: how soon repetition stops counting
    "b": 0.9,  # BM25: how much long passages are held back
    "heading": 4.0,  # an occurrence in title or heading counts as so many, whatever the length
    "phrase": 0.5,  # two words side by side as in the question add so much of the rarer one
    "rrf": 60.0,  # reciprocal rank fusion
    "words_vote": 1.5,  # against the vote of meaning
    "candidates": 200,  # passages that get an exact BM25
    "depth": DEPTH,
    "seats": SEATS,
    # How far the crowd of its own language counts that a passage has to exceed, and the rest that
    # of all: with .3 to 1, questions answered in another language gain; with more of it those
    # answered in their own lose some.
    "own": 0.6,
}
HYBRID = """
WITH stat AS MATERIALIZED (
    SELECT greatest(passages, 1)::float8 AS n,
           greatest(words::float8 / greatest(passages, 1), 1) AS average_length
    FROM library_wordstatistic WHERE workspace_id = %(workspace)s
), crowd AS MATERIALIZED (
    -- The mean cosine of the workspace to this question, which a hit must exceed; few passages
    -- say little about it, so what is usual for the model counts as ten more.
    SELECT (-(centroid <#> %(vector)s::halfvec) * passages + 10 * %(usual)s::float8)
           / (passages + 10) AS mean
    FROM (
        SELECT passages, centroid FROM library_vectorstatistic
        WHERE embedding_set_id = %(set)s AND workspace_id = %(workspace)s
        UNION ALL SELECT 0, %(vector)s::halfvec
        ORDER BY passages DESC LIMIT 1) AS known
), tongue AS MATERIALIZED (
    -- The same of each of its languages, where it has several. An embedder puts together what is in
    -- one language, so a passage has to exceed those in its own, too; less so where these are few,
    -- since what is found is one of them.
    SELECT language, crowd.mean + %(own)s::float8 * passages / (passages + 20)
           * (-(centroid <#> %(vector)s::halfvec) - crowd.mean) AS mean
    FROM library_languagecentroid CROSS JOIN crowd
    WHERE embedding_set_id = %(set)s AND workspace_id = %(workspace)s
), word AS MATERIALIZED (
    -- One row for each lexeme that would do, wholly or a little, and is in the workspace.
    SELECT asked.word, asked.slot, asked.share, asked.weight, asked.tongue, term.passages,
           ln(1 + (stat.n - least(term.passages, stat.n) + 0.5) / (term.passages + 0.5)) AS idf
    FROM unnest(%(words)s::text[], %(word_slots)s::int[], %(shares)s::float8[],
                %(weights)s::float8[], %(tongues)s::text[])
         AS asked (word, slot, share, weight, tongue)
    JOIN library_termstatistic AS term
      ON term.workspace_id = %(workspace)s AND term.word = asked.word
    CROSS JOIN stat
), slot AS MATERIALIZED (
    -- One row for each thing asked for; what the workspace lacks weighs as much as the rarest,
    -- but for "how much", which asks for nothing by itself.
    SELECT asked.slot, asked.identifier, asked.whole, asked.query, known.passages,
           coalesce(known.idf, CASE WHEN asked.amount THEN 0 END, ln(1 + (stat.n + 0.5) / 0.5))
           AS idf,
           known.slot IS NOT NULL AS known
    FROM unnest(%(slots)s::int[], %(identifiers)s::bool[], %(wholes)s::bool[],
                %(amounts)s::bool[], %(queries)s::text[])
         AS asked (slot, identifier, whole, amount, query)
    LEFT JOIN (
        SELECT slot, max(idf) FILTER (WHERE share = 1) AS idf, sum(passages) AS passages
        FROM word GROUP BY slot) AS known USING (slot)
    CROSS JOIN stat
), mass AS MATERIALIZED (
    SELECT greatest(sum(idf), 1e-9) AS total,
           coalesce(sum(idf) FILTER (WHERE identifier AND known) / nullif(sum(idf), 0), 0)
           AS identified,
           coalesce(sum(idf) FILTER (WHERE identifier AND NOT known) / nullif(sum(idf), 0), 0)
           AS missing, sum(idf) FILTER (WHERE whole) AS literal
    FROM slot
), few AS MATERIALIZED (
    -- So many rows are cheaper read one by one than found through the index: looking a word up
    -- costs an entry for each passage of the workspace that has it, and a row about ten entries.
    SELECT coalesce(sum(passages) / (10 * greatest(count(*), 1)), 0)::bigint AS most
    FROM slot WHERE known
), scope AS MATERIALIZED (
    SELECT %(documents)s::bigint[] IS NOT NULL AND (
        SELECT count(*) FROM (
            SELECT FROM library_chunkwords WHERE workspace_id = %(workspace)s
            AND document_id = ANY(%(documents)s::bigint[])
            LIMIT (SELECT most + 1 FROM few)) AS counted) <= most AS small
    FROM few
), asked AS MATERIALIZED (
    -- Very frequent words only score: they find nothing that a rarer word does not, unless a
    -- scope leaves the rarer ones out.
    SELECT slot.idf, slot.query::tsquery AS query FROM slot CROSS JOIN stat
    WHERE known AND (%(documents)s::bigint[] IS NOT NULL
                     OR %(literally)s::tsquery IS NOT NULL OR passages <= (
        SELECT greatest(2000, stat.n / 10, min(passages) * 4) FROM slot WHERE known))
), matching AS (
    SELECT x.chunk_id, x.length, asked.idf
    FROM asked JOIN library_chunkwords AS x ON x.lexemes @@ asked.query
    WHERE NOT (SELECT small FROM scope)
      AND x.workspace_id = %(workspace)s AND x.owner_id = %(owner)s
      AND (%(documents)s::bigint[] IS NULL OR x.document_id = ANY(%(documents)s::bigint[]))
      AND (%(literally)s::tsquery IS NULL OR x.lexemes @@ %(literally)s::tsquery)
    UNION ALL  -- as a value, which no index answers
    SELECT x.chunk_id, x.length, asked.idf
    FROM library_chunkwords AS x JOIN asked ON (x.lexemes @@ asked.query) IS TRUE
    WHERE (SELECT small FROM scope)
      AND x.workspace_id = %(workspace)s AND x.owner_id = %(owner)s
      AND x.document_id = ANY(%(documents)s::bigint[])
      AND (%(literally)s::tsquery IS NULL OR (x.lexemes @@ %(literally)s::tsquery) IS TRUE)
), candidate AS MATERIALIZED (
    -- First by the sum of idf.
    SELECT x.chunk_id FROM matching AS x CROSS JOIN stat
    GROUP BY x.chunk_id, x.length, stat.average_length
    ORDER BY sum(x.idf) / (0.5 + 0.5 * x.length / stat.average_length) DESC, x.chunk_id
    LIMIT %(candidates)s
), passage AS MATERIALIZED (
    -- Of its lexemes those asked for, and of these the places in title and heading: to take all of
    -- them apart would be half of the work.
    SELECT x.chunk_id, x.lexemes, x.language,
           ts_filter(setweight(x.lexemes, 'B', %(words)s::text[]), '{b}') AS found,
           ts_filter(setweight(ts_filter(x.lexemes, '{a}'), 'B', %(words)s::text[]), '{b}')
           AS headings,
           1 - %(b)s::float8 + %(b)s::float8 * x.length / stat.average_length AS long
    FROM candidate JOIN library_chunkwords AS x USING (chunk_id) CROSS JOIN stat
), best AS (
    -- Then exactly: of each slot the lexeme that says most.
    SELECT x.chunk_id, word.slot, max(word.share) AS share,
           max(word.weight * least(word.idf, slot.idf)
               * tf.n * (%(k1)s::float8 + 1) / (tf.n + %(k1)s::float8)) AS score
    FROM passage AS x CROSS JOIN LATERAL unnest(x.found) AS u
    JOIN word ON word.word = u.lexeme
     AND (word.tongue = '' OR x.language IN (word.tongue, ''))  -- "kind" is no "Kind"
    JOIN slot ON slot.slot = word.slot
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(cardinality(h.positions)), 0) AS n
        FROM unnest(x.headings) AS h WHERE h.lexeme = u.lexeme) AS heading
    CROSS JOIN LATERAL (
        SELECT heading.n * %(heading)s::float8
               + (cardinality(u.positions) - heading.n) / x.long AS n) AS tf
    GROUP BY x.chunk_id, word.slot
), phrase AS (
    SELECT x.chunk_id, sum(%(phrase)s::float8 * pair.idf) AS score
    FROM passage AS x
    JOIN (
        SELECT asked.query::tsquery AS query, least(a.idf, b.idf) AS idf
        FROM unnest(%(pair_a)s::int[], %(pair_b)s::int[], %(pair_queries)s::text[])
             AS asked (a, b, query)
        JOIN slot AS a ON a.slot = asked.a AND a.known
        JOIN slot AS b ON b.slot = asked.b AND b.known
    ) AS pair ON x.lexemes @@ pair.query
    GROUP BY x.chunk_id
), words AS MATERIALIZED (
    SELECT chunk_id, coverage, literal,
           row_number() OVER (ORDER BY score DESC, chunk_id) AS place,
           least(score / ((%(k1)s::float8 + 1) * total), 1) AS strength
    FROM (
        SELECT best.chunk_id, sum(best.score) + coalesce(max(phrase.score), 0) AS score,
               sum(slot.idf * best.share) / max(mass.total) AS coverage,
               sum(slot.idf * best.share) FILTER (WHERE slot.whole)
               / nullif(max(mass.literal), 0) AS literal,
               max(mass.total) AS total
        FROM best JOIN slot USING (slot) LEFT JOIN phrase USING (chunk_id) CROSS JOIN mass
        GROUP BY best.chunk_id ORDER BY score DESC, best.chunk_id LIMIT %(depth)s) AS scored
), near AS MATERIALIZED (
    -- Of several languages more are looked at: the best of one may stand far behind another's.
    SELECT chunk_id, distance FROM (
        SELECT x.chunk_id, x.embedding <#> %(vector)s::halfvec AS distance
        FROM library_chunkvector AS x
        WHERE x.embedding_set_id = %(set)s AND x.workspace_id = %(workspace)s
          AND x.owner_id = %(owner)s
          AND (%(documents)s::bigint[] IS NULL OR x.document_id = ANY(%(documents)s::bigint[]))
          AND (%(literally)s::tsquery IS NULL OR x.chunk_id IN (
            SELECT chunk_id FROM library_chunkwords
            WHERE workspace_id = %(workspace)s AND lexemes @@ %(literally)s::tsquery))
          AND (SELECT identified < 1 FROM mass) AND %(vector)s::halfvec IS NOT NULL
        ORDER BY x.embedding <#> %(vector)s::halfvec
        LIMIT %(near)s) AS nearest
    UNION  -- all of a language of which there is little
    SELECT spoken.chunk_id, vector.distance
    FROM library_chunkwords AS spoken CROSS JOIN LATERAL (  -- one by one, by its key
        SELECT x.embedding <#> %(vector)s::halfvec AS distance FROM library_chunkvector AS x
        WHERE x.embedding_set_id = %(set)s AND x.chunk_id = spoken.chunk_id LIMIT 1) AS vector
    WHERE spoken.language = ANY(%(little)s::text[])
      AND spoken.workspace_id = %(workspace)s AND spoken.owner_id = %(owner)s
      AND (%(documents)s::bigint[] IS NULL OR spoken.document_id = ANY(%(documents)s::bigint[]))
      AND (%(literally)s::tsquery IS NULL OR spoken.lexemes @@ %(literally)s::tsquery)
      AND (SELECT identified < 1 FROM mass) AND %(vector)s::halfvec IS NOT NULL
), spoken AS MATERIALIZED (  -- looked up once: the language is both joined by and returned
    SELECT near.*, (
        SELECT x.language FROM library_chunkwords AS x
        WHERE x.chunk_id = near.chunk_id) AS language
    FROM near
), meaning AS MATERIALIZED (
    SELECT chunk_id, -distance AS cosine, language, place, among, greatest(above, 0) AS strength
    FROM (
        SELECT *, row_number() OVER (ORDER BY above DESC, distance, chunk_id) AS place,
               CASE WHEN is_one THEN row_number() OVER (
                PARTITION BY language ORDER BY above DESC, distance, chunk_id) END AS among
        FROM (
            SELECT spoken.*, tongue.language IS NOT NULL AS is_one,
                   (-distance - coalesce(tongue.mean, crowd.mean))
                   / (1 - least(coalesce(tongue.mean, crowd.mean), 0.99)) AS above
            FROM spoken LEFT JOIN tongue USING (language) CROSS JOIN crowd) AS exceeding
    ) AS standing_out
    WHERE place <= %(depth)s OR among <= %(seats)s
)
SELECT chunk_id,
       coalesce(%(words_vote)s::float8 * words.strength / (%(rrf)s::float8 + words.place), 0)
       + coalesce((1 - mass.identified) * meaning.strength / (%(rrf)s::float8 + meaning.place), 0)
       AS score,
       words.place, meaning.place, words.coverage, meaning.strength, meaning.cosine,
       mass.identified, mass.missing, words.literal,
       coalesce(meaning.language, (
        SELECT x.language FROM library_chunkwords AS x WHERE x.chunk_id = words.chunk_id)),
       meaning.among
FROM words FULL JOIN meaning USING (chunk_id) CROSS JOIN mass
ORDER BY score DESC, chunk_id
"""
# The same by a workspace's graph, which is known by its spelling; exact search must not be.
BY_GRAPH = HYBRID.replace(
    "x.embedding <#> %(vector)s::halfvec",
    "x.embedding::halfvec(%(dimensions)s) <#> %(vector)s::halfvec(%(dimensions)s)",
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage as the statement returns it, best first."""

    chunk_id: int
    score: float  # 0 to 1: the share of what the first in both legs could reach
    place_by_words: int | None
    place_by_meaning: int | None
    coverage: float  # the share of the question, weighed by rarity, that literally stands there
    strength: float  # 0 to 1: how far above the crowd its meaning is
    similarity: float | None  # cosine
    identified: float  # the share of the question that is identifiers the workspace has
    missing: float  # ... that is identifiers it lacks
    literal: float = 0.0  # the share of its identifiers that stands there
    language: str = ""  # of the passage, ISO 639-1
    among: int | None = None  # its place by meaning in its language, where there are several
    nearness: float | None = None  # of its tokens to the question's, where it was read again

    @property
    def seated(self) -> bool:
        """Whether it is among the first of its language, and is to be looked at for that."""
        return self.among is not None and self.among <= SEATS


def rank(
    workspace: Workspace,
    asked: Question,
    *,
    vector: str | None,
    embedding_set: int | None,
    usual: float,
    documents: Sequence[int] | None = None,
    literally: str = "",
    languages: Mapping[str, int] | None = None,
    graph: bool = False,
) -> list[Ranked]:
    """The best passages of a workspace, at most DEPTH, of all its documents where that is None.

    Behind them come the nearest of each of its languages, which may not be among the best.
    Without `vector` (pgvector's spelling of the question's unit vector in `embedding_set`) words
    alone decide; without slots in the question meaning does. `literally` is a tsquery that all of
    them match. `usual` is the mean cosine between a question and unrelated passages in the set's
    model. `languages` has the number of passages in each language, where there are several. With
    `graph` its graph is walked; without, every vector is compared.
    """
    values = parameters(
        workspace,
        asked,
        vector=vector,
        embedding_set=embedding_set,
        usual=usual,
        documents=documents,
        literally=literally,
        languages=languages,
    )
    graph = graph and vector is not None
    most = (CONSTANTS["words_vote"] + 1) / (CONSTANTS["rrf"] + 1)
    with graphs.walked() if graph else nullcontext(), connection.cursor() as cursor:
        # Not prepared: the plan follows what is asked, so it is made anew either way (2 ms), and a
        # general one takes twice as long where a scope is set. Both were measured.
        cursor.execute(BY_GRAPH if graph else HYBRID, values)
        found = [
            Ranked(
                chunk_id=row[0],
                score=row[1] / most,
                place_by_words=row[2],
                place_by_meaning=row[3],
                coverage=row[4] or 0.0,
                strength=row[5] or 0.0,
                similarity=row[6],
                identified=row[7],
                missing=row[8],
                literal=row[9] or 0.0,
                language=row[10] or "",
                among=row[11],
            )
            for row in cursor.fetchall()
        ]
    return foremost(found, DEPTH)


def foremost(found: Sequence[Ranked], most: int) -> list[Ranked]:
    """The first of these, best first, and behind them the others that have a seat."""
    return [one for n, one in enumerate(found) if n < most or one.seated]


def parameters(
    workspace: Workspace,
    asked: Question,
    *,
    vector: str | None,
    embedding_set: int | None,
    usual: float,
    documents: Sequence[int] | None,
    literally: str = "",
    languages: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """What the statement is given."""
    return {
        **CONSTANTS,
        **slots.given(asked),
        "workspace": workspace.pk,
        "owner": workspace.owner_id,
        "documents": None if documents is None else list(documents),
        "literally": literally or None,
        "near": SEVERAL if languages else DEPTH,
        "little": _little(languages or {}),
        "vector": vector,
        "dimensions": vector.count(",") + 1 if vector else 0,
        "set": embedding_set,
        "usual": usual,
    }


def _little(languages: Mapping[str, int]) -> list[str]:
    """The languages whose passages may all stand behind the nearest that are looked at."""
    if sum(languages.values()) <= SEVERAL:
        return []
    return [each for each, passages in languages.items() if passages <= LITTLE]
