"""Finding passages: whose, where, in what order, and what is said about them."""

import pytest

from apps.library.models import Category, Workspace
from apps.library.search import Scope, scope_named, search
from tests.library.passages import document

LEASE = "The tenant may end the lease with a notice of three months, given in writing."
FILLER = [f"Chapter {n} tells of rivers, bridges and the weather in spring." for n in range(40)]
RECEIPTS = [
    "Receipt TXN-98765-2024, paid in cash.",
    "Account DE02 1203 0000 0000 2020 51.",
    "Die Kaution beträgt 4.260,00 Euro.",
]


def texts(found) -> list[str]:
    return [hit.chunk.text for hit in found.hits]


def test_a_passage_is_found_by_its_words_without_any_embedder(workspace):
    document(workspace, "lease.txt", [*FILLER, LEASE])
    found = search(workspace, "How many months of notice must a tenant give?")
    assert texts(found)[0] == LEASE
    assert found.hits[0].place_by_words == 1
    assert found.hits[0].place_by_meaning is None
    assert "words only" in found.notice


def test_the_words_that_answer_are_named_as_they_are_spelled(workspace):
    document(workspace, "lease.txt", [*FILLER, LEASE])
    words = search(workspace, "ending LEASES, noticing tenants").hits[0].words
    assert {"tenant", "lease", "notice"} <= set(words)


def test_a_stranger_finds_nothing(workspace, bob):
    document(workspace, "lease.txt", [LEASE])
    document(bob.workspaces.get(), "other.txt", FILLER)
    assert LEASE not in texts(search(bob.workspaces.get(), "tenant lease notice"))


def test_nothing_is_found_across_two_workspaces_of_one_person(workspace, alice):
    document(workspace, "lease.txt", [LEASE])
    other = Workspace.objects.create(owner=alice, name="Work")
    document(other, "rivers.txt", FILLER)
    assert LEASE not in texts(search(other, "tenant lease notice"))


def test_a_scope_holds_what_is_found(workspace):
    inside = document(workspace, "inside.txt", ["A bridge of stone."])
    document(workspace, "outside.txt", ["A bridge of wood.", "Another bridge, of steel."])
    assert texts(search(workspace, "bridge", scope=Scope(documents=(inside.pk,)))) == [
        "A bridge of stone."
    ]


def test_a_scope_never_reduces_what_is_found_inside(workspace):
    """Even where the rare word of a question stands only outside, and the rest is frequent."""
    inside = document(workspace, "inside.txt", [f"The water rose by {n} inches." for n in range(9)])
    document(workspace, "outside.txt", ["water " * 3, "zeppelin", *["water and more"] * 120])
    found = search(workspace, "zeppelin water", scope=Scope(documents=(inside.pk,)), limit=50)
    assert len(found.hits) == 9


def test_a_category_is_a_scope(workspace):
    category = Category.objects.create(workspace=workspace, name="Law")
    document(workspace, "law.txt", ["A bridge of stone."], category=category)
    document(workspace, "rest.txt", ["A bridge of wood."])
    found = search(workspace, "bridge", scope=scope_named(workspace, ["Law"]))
    assert texts(found) == ["A bridge of stone."]


def test_an_empty_category_holds_nothing(workspace):
    category = Category.objects.create(workspace=workspace, name="Law")
    document(workspace, "rest.txt", ["A bridge of wood."])
    assert search(workspace, "bridge", scope=Scope(categories=(category.pk,))).hits == []


def test_a_scope_of_a_stranger_holds_nothing(workspace, bob):
    document(workspace, "rest.txt", ["A bridge of wood."])
    theirs = document(bob.workspaces.get(), "theirs.txt", ["A bridge of stone."])
    assert search(workspace, "bridge", scope=Scope(documents=(theirs.pk,))).hits == []


def test_an_unknown_name_in_a_scope_is_named(workspace):
    with pytest.raises(LookupError, match="Nowhere"):
        scope_named(workspace, ["Nowhere"])


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("§ 573 BGB", "§ 573 BGB: Ordentliche Kündigung des Vermieters"),
        ("§573", "§ 573 BGB: Ordentliche Kündigung des Vermieters"),
        ("Paragraph 573", "§ 573 BGB: Ordentliche Kündigung des Vermieters"),
        ("BGB 573", "§ 573 BGB: Ordentliche Kündigung des Vermieters"),
        ("CVE-2024-1234", "The advisory CVE-2024-1234 was withdrawn."),
        ("cve 2024 1234", "The advisory CVE-2024-1234 was withdrawn."),
        ("foo_bar()", "Call foo_bar() before the first request."),
        ("v1.2.3", "Since v1.2.3 the option is gone."),
        ("Error 404B", "It stops with Error 404B at night."),
        ("C++", "Written in C++ and nothing else."),
        ("C#", "Written in C# and nothing else."),
        ("/etc/nginx/nginx.conf", "Edit /etc/nginx/nginx.conf and start again."),
        ("max_worker_processes", "Set MAX-WORKER-PROCESSES to eight."),
    ],
)
def test_an_identifier_comes_first(workspace, question, wanted):
    texts_around = [
        "§ 573a Erleichterte Kündigung des Vermieters",
        "§ 574 Widerspruch des Mieters, 573 Fälle",
        "The advisory CVE-2024-1235 stands, of 1234 in 2024.",
        "Call bar() and foo before the last request.",
        "Since v1.2.4 and v1.3.2 the option is back.",
        "Error 404 and Error B are others.",
        "Written in C and nothing else.",
        "Edit /etc/hosts and start nginx again.",
        "Workers are processes; the max is eight.",
    ]
    rest = [
        "The advisory CVE-2024-1234 was withdrawn.",
        "Call foo_bar() before the first request.",
        "Since v1.2.3 the option is gone.",
        "It stops with Error 404B at night.",
        "Written in C++ and nothing else.",
        "Written in C# and nothing else.",
        "Edit /etc/nginx/nginx.conf and start again.",
        "Set MAX-WORKER-PROCESSES to eight.",
        "§ 573 BGB: Ordentliche Kündigung des Vermieters",
    ]
    document(workspace, "mixed.txt", [*texts_around, *rest, *FILLER])
    found = search(workspace, question)
    assert texts(found)[0] == wanted
    assert found.hits[0].band == "strong"


@pytest.mark.parametrize(
    "question",
    [
        "",
        "   ",
        "?!… ---",
        "'",
        "' OR 1=1 --",
        "a & b | !c <-> (d:*",
        "\\'\\",
        "\0",
        "a\0b",
        "\ud800 lone",
        "the of and",
        "§" * 500,
        "water " * 900,
        "x" * 5000,
        "%s %(documents)s %%",
        "🦊🦊",
        "日本語の質問",
    ],
)
def test_any_question_may_be_asked(workspace, question):
    document(workspace, "rivers.txt", FILLER)
    assert len(search(workspace, question).hits) <= 10


def test_an_empty_workspace_answers_with_nothing(workspace):
    found = search(workspace, "anything")
    assert (found.hits, found.answerable) == ([], False)


def test_a_document_is_found_by_its_name(workspace):
    document(workspace, "Mietvertrag-2021.pdf", ["Ganz ohne das Wort."], language="de")
    document(workspace, "rivers.txt", FILLER)
    assert texts(search(workspace, "Mietvertrag 2021"))[0] == "Ganz ohne das Wort."


@pytest.mark.parametrize("question", ["§ 3 Absatz 2 ProdHaftG", "ProdHaftG § 3 (2)", "§3 Abs. 7"])
def test_a_paragraph_of_a_section_that_is_there_is_answerable(workspace, question):
    fault = "§ 3 Fehler\n\n(1) Ein Produkt hat einen Fehler, wenn …\n\n(2) Ein Produkt hat nicht …"
    document(workspace, "prodhaftg.md", ["§ 4 Hersteller", fault], heading="ProdHaftG")
    document(workspace, "rivers.txt", FILLER)
    found = search(workspace, question)
    assert texts(found)[0] == fault
    assert found.answerable


def test_a_section_nobody_has_is_not(workspace):
    document(workspace, "prodhaftg.md", ["§ 3 Fehler", "§ 4 Hersteller"], heading="ProdHaftG")
    assert not search(workspace, "§ 812 Absatz 2").answerable


def test_a_section_of_another_law_is_not_the_one_asked_for(workspace):
    document(workspace, "bgb.md", ["§ 412 Forderungsübergang"], heading="BGB", language="de")
    document(workspace, "bdsg.md", ["§ 38 Beauftragte", "§ 39 Akkreditierung"], heading="BDSG")
    document(workspace, "rivers.txt", FILLER)
    assert search(workspace, "§ 412 BGB").answerable
    assert search(workspace, "BDSG § 38").answerable
    assert not search(workspace, "§ 412 BDSG").answerable


@pytest.mark.parametrize("question", ["hello", "Hallo!", "thanks", "Good night", "Guten Morgen!"])
def test_a_greeting_asks_for_nothing(workspace, question):
    said = "Hello or Hallo, and thanks, good night! Guten Morgen."
    document(workspace, "letters.txt", [said, *FILLER])
    found = search(workspace, question)
    assert not found.answerable
    assert found.hits[0].band == "weak"


def test_function_words_ask_for_nothing_unless_they_are_quoted(workspace):
    document(workspace, "hamlet.txt", ["To be or not to be, that is the question.", *FILLER])
    document(workspace, "chat.txt", ["What you can do for us is what we can do for you."])
    assert not search(workspace, "what can you do?").answerable
    asked = "to be or not to be"
    assert search(workspace, asked, phrases=[asked]).answerable


@pytest.mark.parametrize("question", ["-", "?!… ---", "§", "\u200b", "<->", "%% ''"])
def test_a_question_without_a_word_or_a_number_looks_for_nothing(workspace, question):
    document(workspace, "rivers.txt", FILLER)
    found = search(workspace, question)
    assert (found.hits, found.answerable, found.sure) == ([], False, True)
    assert "nothing to look for" in found.notice


def test_a_word_is_found_in_a_passage_of_whatever_language(workspace):
    """A table of hosts that was taken for French, and a list of commands in no language."""
    document(workspace, "rivers.txt", FILLER * 10)
    hosts = "grafana;mon-01;3000 redis;cache-01;6379 gitea;git-01;3022"
    document(workspace, "ports.csv", [hosts], language="fr")
    document(workspace, "cmds.txt", ["terraform taints; drain nodes"], language="")
    for question in ("grafana", "redis", "gitea", "which port does redis use?"):
        found = search(workspace, question)
        assert texts(found)[0] == hosts
        assert not found.slips
    for phrase in ("grafana", "redis", "terraform taints", "drain nodes"):
        assert search(workspace, phrase, phrases=[phrase]).hits, phrase
    assert texts(search(workspace, "nodes"))[0].startswith("terraform")


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("TXN-98765", "Receipt TXN-98765-2024, paid in cash."),
        ("INV-001", "New brakes."),
        ("REPAIR-2022-INV-001", "New brakes."),
        ("REPAIR-2022-INV-001.pdf", "New brakes."),
        ("DE02120300000000202051", "Account DE02 1203 0000 0000 2020 51."),
        ("DE02 1203 0000 0000 2020 51", "Account DE02 1203 0000 0000 2020 51."),
    ],
)
def test_a_part_of_an_identifier_and_another_spelling_are_surely_there(workspace, question, wanted):
    document(workspace, "papers.txt", [*RECEIPTS, *FILLER])
    document(workspace, "REPAIR-2022-INV-001.pdf", ["New brakes."])
    found = search(workspace, question)
    assert (found.hits[0].chunk.text, found.hits[0].band) == (wanted, "strong")
    assert found.answerable
    assert search(workspace, question, phrases=[question]).hits[0].chunk.text == wanted


def test_an_identifier_itself_comes_before_longer_ones(workspace):
    document(workspace, "log.txt", ["INV-7-b is open and INV-7-c as well.", "INV-7 is paid."])
    document(workspace, "rivers.txt", FILLER)
    assert texts(search(workspace, "INV-7"))[:2] == [
        "INV-7 is paid.",
        "INV-7-b is open and INV-7-c as well.",
    ]
    assert not search(workspace, "INV-7-d").answerable


@pytest.mark.parametrize("question", ["4260", "4260 Euro", "4.260,00", "4,260.00 Euro"])
def test_an_amount_is_found_however_it_is_written(workspace, question):
    document(workspace, "papers.txt", [*RECEIPTS, *FILLER], language="de")
    found = search(workspace, question)
    assert found.hits[0].chunk.text == RECEIPTS[2]
    assert found.answerable and found.hits[0].band != "weak"
