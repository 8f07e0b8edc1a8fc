"""The search page: works for a person without JavaScript, without models, and for no stranger."""

import time
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils.timezone import now

from apps.library import indexing, relevance, saving
from apps.library.asking import side_by_side
from apps.library.models import Category, Chunk, Document, EmbeddingSet, Workspace
from apps.library.search import search
from apps.llm import client
from tests.library.passages import document, vectors

URL = "/search/"
HTMX = {"HX-Request": "true"}
LEASE = "The tenant may end the <lease> with three months of notice."


@pytest.fixture
def lease(workspace):
    rivers = [f"Chapter {n} tells of rivers and bridges." for n in range(30)]
    document(workspace, "rivers.txt", rivers)
    return document(workspace, "lease.pdf", [LEASE])


@pytest.fixture
def judged(lease, ollama, settings, tmp_path):
    """The lease, its meaning learned, where a rule refuses surely what has none of its words."""
    settings.DATA_DIR = tmp_path
    learned = indexing.active_set()
    vectors(lease, learned, client.embed([LEASE], "passage"))
    rule = dict.fromkeys(relevance._NUMBERS, 0.0) | {"words": 4.0, "constant": -8.0, "margin": 1.0}
    kept = {"model": learned.model, "date": "2026-11-30", "sets": ["lease"], "rule": rule}
    relevance.keep(kept)
    return lease


def page(reader, **asked) -> str:
    return reader.get(URL, asked).content.decode()


def test_the_page_has_one_field_and_says_what_to_do(reader, workspace):
    html = page(reader)
    assert 'type="search"' in html
    assert "Ask in your own words" in html


def test_passages_come_with_place_words_and_band(reader, lease):
    html = page(reader, q="tenant notice")
    chunk = lease.chunks.get()
    assert reverse("library:passage", args=[chunk.pk]) in html
    assert "lease.pdf" in html
    assert "page 1" in html
    assert "<mark>tenant</mark>" in html
    assert "words 1st" in html
    assert "&lt;lease&gt;" in html
    assert "<lease>" not in html


def test_without_an_embedder_the_page_says_so(reader, lease):
    assert "Found by words only" in page(reader, q="tenant")


def test_htmx_gets_the_results_alone(reader, lease):
    html = reader.get(URL, {"q": "tenant"}, headers=HTMX).content.decode()
    assert "<mark>tenant</mark>" in html
    assert "<html" not in html


def test_nothing_found_is_said_with_what_to_do(reader, lease):
    html = page(reader, q="zeppelin")
    assert "No passage has these words" in html


def test_filters_are_plain_parameters(reader, workspace, lease):
    law = Category.objects.create(workspace=workspace, name="Law")
    inside = document(workspace, "inside.txt", ["A tenant of stone."], category=law)
    html = page(reader, q="tenant", category=law.pk)
    assert "inside.txt" in html
    assert "lease.pdf" not in html
    html = page(reader, q="tenant", document=lease.pk)
    assert f"Only {lease}" in html
    assert inside.name not in html


def test_filters_narrow_by_type(reader, workspace, lease):
    lease.format = "pdf"
    lease.save()
    html = page(reader, q="tenant", type="pdf")
    assert "<mark>tenant</mark>" in html


def test_a_filter_that_leaves_nothing_offers_everything(reader, workspace, lease):
    empty = Category.objects.create(workspace=workspace, name="Empty")
    assert "Search everything" in page(reader, q="tenant", category=empty.pk)


def test_a_category_of_a_stranger_is_not_there(reader, bob, lease):
    theirs = Category.objects.create(workspace=bob.workspaces.get(), name="Theirs")
    html = page(reader, q="tenant", category=theirs.pk)
    assert "That category is gone" in html
    assert "Theirs" not in html


def test_a_stranger_finds_nothing_of_mine(client, bob, lease):
    client.force_login(bob)
    assert "tenant may" not in page(client, q="tenant")


def test_who_is_not_signed_in_is_asked_to(client, db):
    assert client.get(URL).status_code == 302


def test_a_search_cannot_be_posted(reader):
    assert reader.post(URL).status_code == 405


@pytest.mark.parametrize("question", ["\0", "' & | ! <->", "x" * 6000, "%(vector)s", "<script>"])
def test_strange_questions_get_a_page(reader, lease, question):
    answer = reader.get(URL, {"q": question})
    assert answer.status_code == 200
    assert "<script>alert" not in answer.content.decode()


def test_a_page_of_results_asks_the_database_little(reader, lease, django_assert_max_num_queries):
    page(reader, q="tenant")
    with django_assert_max_num_queries(10):  # also where a model has learned the passages
        page(reader, q="rivers bridges")


def test_the_page_says_by_which_rule_it_judges(reader, lease):
    assert "that knows words alone" in page(reader, q="tenant")


def test_operators_narrow_on_the_page_and_wrong_ones_are_told(reader, lease):
    html = page(reader, q="tenant in:lease.pdf -zebra")
    assert "<mark>tenant</mark>" in html
    assert "no category or document called" in page(reader, q="tenant in:Nowhere")
    assert "after:2024-05" in page(reader, q="tenant after:yesterday")


def test_opening_the_page_lets_the_embedder_load(reader, workspace, ollama):
    page(reader)
    deadline = time.monotonic() + 5
    while not any(heard.path == "/api/embed" for heard in ollama.heard):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_filters_narrow_by_language_and_age(reader, workspace, lease):
    document(workspace, "miete.txt", ["Der Mieter ist ein tenant."], language="de")
    html = page(reader, q="tenant", language="de")
    assert "miete.txt" in html
    assert "lease.pdf" not in html
    Document.objects.filter(pk=lease.pk).update(created_at=now() - timedelta(days=60))
    html = page(reader, q="tenant", added="30")
    assert "miete.txt" in html
    assert "lease.pdf" not in html
    assert "lease.pdf" in page(reader, q="tenant", added="365")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"added": "-1"}, "There is no such time to choose"),
        ({"type": "zzz"}, "No document here is of that type."),
        ({"language": "zz"}, "No document here is in that language."),
        ({"document": "0"}, "That document is gone."),
        ({"q": "x" * 6000}, "too long to search for: 6000 characters, at most 5000."),
    ],
)
def test_a_wrong_address_is_told_in_our_own_words(reader, lease, asked, told):
    html = page(reader, **({"q": "tenant"} | asked))
    assert told in html
    assert "Select a valid choice" not in html and "Ensure this value" not in html


def test_chosen_filters_come_first(reader, workspace, lease):
    first = Category.objects.create(workspace=workspace, name="Archive")
    last = Category.objects.create(workspace=workspace, name="Zoo")
    document(workspace, "zoo.md", ["A tenant."], category=last, language="de")
    workspace.documents.filter(name="zoo.md").update(format="markdown")
    workspace.documents.exclude(name="zoo.md").update(format="csv")
    chosen = {"category": last.pk, "type": "markdown", "language": "de", "added": "7"}
    html = page(reader, q="tenant", **chosen)
    filters = html[html.index('class="filters"') :]
    marks = [
        filters.index(f"</svg>{word}</a>")
        for word in ("Markdown", "German", "Added in the last 7 days")
    ]
    assert filters.index('title="Zoo"') < filters.index(f'title="{first}"')
    assert marks == sorted(marks)
    assert marks[-1] < filters.index(">Table</a>") < filters.index(">Added in the last 30 days</a>")


def test_a_tail_of_weaker_passages_is_folded(reader, workspace, judged):
    document(workspace, "birds.txt", [f"Notice the bird {n} in the tree." for n in range(4)])
    html = page(reader, q="tenant notice")
    shown = reader.get(URL, {"q": "tenant notice"}).context
    bands = [each.hit.band for each in shown["results"]]
    assert "weak" in bands and bands[0] != "weak"
    last = max(n for n, band in enumerate(bands) if band != "weak")
    assert len(shown["foremost"]) == last + 1
    assert f"{len(bands) - last - 1} weaker passages</summary>" in html
    assert html.count("data-result") == len(bands)


def test_where_all_are_weak_the_first_are_open(reader, judged):
    shown = reader.get(URL, {"q": "rivers of gold and silver, chapter and verse"}).context
    bands = {each.hit.band for each in shown["results"]}
    assert bands == {"weak"}
    assert len(shown["foremost"]) == 5
    assert len(shown["weaker"]) == len(shown["results"]) - 5 > 0


def test_all_workspaces_of_a_person_are_searched_and_nobody_elses(reader, workspace, bob, lease):
    other = Workspace.objects.create(owner=workspace.owner, name="Work at night")
    document(other, "contract.txt", ["The tenant of the office."])
    document(bob.workspaces.get(), "secret.txt", ["The tenant of a secret."])
    assert "contract.txt" not in page(reader, q="tenant")
    html = page(reader, q="tenant", everywhere="1")
    assert "contract.txt" in html
    assert "Work at night" in html
    assert "lease.pdf" in html
    assert "secret.txt" not in html
    assert "contract.txt" in page(reader, q='tenant workspace:"work at night"')


def test_a_search_is_kept_found_again_and_deleted(reader, workspace, lease):
    asked = {"q": "tenant notice", "document": lease.pk, "name": "Ending the lease"}
    answer = reader.post(reverse("library:search_save"), asked, follow=True)
    assert "Saved the search “Ending the lease”." in answer.content.decode()
    assert "Only lease.pdf" in answer.content.decode()
    kept = workspace.searches.get()
    assert kept.get_absolute_url() == f"/search/?q=tenant+notice&document={lease.pk}"
    assert "Ending the lease" in page(reader)
    reader.post(reverse("library:search_save"), asked | {"q": "river"})
    assert workspace.searches.get().asked.startswith("q=river")
    reader.post(reverse("library:search_delete", args=[kept.pk]))
    assert not workspace.searches.exists()


def test_a_search_without_a_name_is_not_kept(reader, workspace, lease):
    reader.post(reverse("library:search_save"), {"q": "tenant", "name": " "})
    assert not workspace.searches.exists()


def test_a_workspace_keeps_so_many_searches(reader, workspace, lease, monkeypatch):
    monkeypatch.setattr(saving, "MOST", 1)
    for name in ("One", "Two"):
        reader.post(reverse("library:search_save"), {"q": "tenant", "name": name})
    assert [kept.name for kept in workspace.searches.all()] == ["One"]


def test_neighbours_of_one_part_are_one_result(reader, workspace):
    said = "The tenant gives notice. Notice is three months. "
    more = "Notice is three months. The tenant then hands over the keys."
    made = document(workspace, "lease.txt", [said])
    part, first = made.parts.get(), made.chunks.get()
    part.text = said + more[len("Notice is three months. ") :]
    part.save()
    second = Chunk.objects.create(
        document=made, part=part, revision=1, ordinal=1, text=more, kind=first.kind, number=1,
        label="page 1", start=part.text.index("Notice"), end=len(part.text), digest="2",
    )  # fmt: skip
    indexing.add_words(made, [second])
    (hit,) = search(workspace, "tenant notice").hits
    assert hit.text == part.text
    assert [chunk.ordinal for chunk in hit.joined] == [0, 1]
    html = page(reader, q="tenant keys")
    assert html.count("data-result") == 1
    assert "1 passage" in html


def test_the_rule_is_shown_with_its_figures(reader, workspace, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    html = reader.get(reverse("library:search_rule")).content.decode()
    assert "that knows words alone" in html
    indexing_set = EmbeddingSet.objects.create(
        model="mine", dimensions=4, state=EmbeddingSet.State.ACTIVE
    )
    rule = dict.fromkeys(relevance._NUMBERS, 1.5)
    row = {"answerable_passed": 0.951, "unanswerable_passed": 0.08}
    relevance.keep(
        {
            "model": indexing_set.model,
            "date": "2026-11-30",
            "sets": ["lease"],
            "rule": rule,
            "passed": [row | {"set": "lease"}],
            "curve": [row | {"cut": 0.0}],
        }
    )
    html = reader.get(reverse("library:search_rule")).content.decode()
    assert "fitted here on 2026-11-30" in html
    assert "Measured on 30 November 2026" in html
    assert "<b>95</b><span>of 100 questions with an answer pass" in html
    assert "<b>92</b><span>of 100 without one are told so" in html


def test_what_several_documents_say_word_for_word_is_shown_once(reader, workspace, lease):
    for n in range(2, 7):
        document(workspace, f"lease-{n}.pdf", [LEASE.replace(" the <", "  the\n<") * 2])
    document(workspace, "lease-7.pdf", [LEASE * 2])
    html = page(reader, q="tenant notice")
    assert html.count('class="passage excerpt"') == 2
    assert html.count("Word for word also in") == 1
    assert "and 2 more passages" in html


def test_a_copy_in_another_workspace_says_in_which(reader, workspace, alice):
    document(workspace, "lease.pdf", [LEASE * 2])
    archive = Workspace.objects.create(owner=alice, name="Archive")
    document(archive, "lease.pdf", [LEASE * 2])
    html = " ".join(page(reader, q="tenant notice", everywhere="1").split())
    assert "Word for word also in" in html
    assert "lease.pdf</a> in Home, page 1" in html
    document(archive, "lease-2.pdf", [LEASE * 2])
    html = " ".join(page(reader, q="tenant notice", everywhere="1").split())
    assert "lease.pdf</a> page 1 · " in html


def test_a_misspelled_word_is_told_with_what_was_looked_for(reader, lease):
    html = page(reader, q="tenent")
    assert "Nothing has “tenent”; looked for “tenant” instead." in html
    assert "<mark>tenant</mark>" in html
    assert "looked for" not in page(reader, q="tenant")
    assert "looked for" not in page(reader, q='"tenent" notice')
    translated = reader.get(URL, {"q": "tenent"}, headers={"Accept-Language": "de"})
    assert "gesucht wurde stattdessen „tenant“" in translated.content.decode()


def test_where_no_word_is_known_and_nothing_comes_near_the_passages_are_folded(reader, judged):
    html = page(reader, q="xqzvbl flurbnak")
    assert "Nothing found for “xqzvbl flurbnak”" in html
    assert "Show the nearest passages anyway" in html
    assert html.index("nearest passages anyway") < html.index("data-result")
    assert "Nothing found for" not in page(reader, q="tenant flurbnak")


def test_an_empty_workspace_says_so_and_how_to_fill_it(reader, workspace):
    html = page(reader, q="notice period")
    assert "There is nothing here yet" in html and 'href="/library/upload/"' in html
    assert "fewer words" not in html
    document(workspace, "lease.pdf", [LEASE])
    assert "nothing here yet" not in page(reader, q="zeppelin")


def test_words_are_found_side_by_side_as_they_are_written():
    wanted = side_by_side("Notice period?")
    assert wanted and wanted.search("The notice\nperiod is three months.")
    assert not wanted.search("A period of rest, and a notice.")
    assert not wanted.search("Several notice periods.")
    assert side_by_side("?!") is None


def test_what_is_said_over_and_over_asks_for_one_thing(workspace):
    document(
        workspace, "plan.txt", ["A plan.", *[f"Chapter {n} tells of rivers." for n in range(9)]]
    )
    assert not search(workspace, "a " * 900 + "plan").sure


def test_while_some_is_still_being_learned_nonsense_is_folded_too(reader, judged):
    Document.objects.filter(name="rivers.txt").update(state=Document.State.LEARNING)
    html = page(reader, q="xqzvbl flurbnak")
    assert "Nothing found for" in html and "is still being learned" in html
    assert "Nothing found for" in page(reader, q="q" * 3000)
