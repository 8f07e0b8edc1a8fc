"""Decks out and in: Anki's own library reads ours, and strangers' files do no harm."""

import csv
import io
import json
import sqlite3
import time
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
import zstandard
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from genanki.apkg_col import APKG_COL
from genanki.apkg_schema import APKG_SCHEMA

from apps.study import anki, importing, scheduling
from apps.study.cardfiles import fields
from apps.study.models import Card, Deck, Review

BEGAN = datetime(2026, 6, 1, 9, tzinfo=UTC)


def address(card):
    return f"http://vault.example/library/passages/{card.pk}/"


@pytest.fixture
def deck(alice, workspace):
    deck = Deck.objects.create(owner=alice, workspace=workspace, title="Lease & more")
    texts = [
        ("How long is the notice?", "Three months"),
        ("What is <b>bold</b> & [latex]\\input{/etc/passwd}[/latex]?", "=cmd()|'A1'\nSecond line"),
        ("Third?", "Yes, {{Front}}"),
    ]
    for n, (front, back) in enumerate(texts):
        Card.objects.create(
            deck=deck,
            ordinal=n,
            front=front,
            back=back,
            guid=f"{n:032x}",
            quote="The notice is three months.",
            document_name="Lease of 2025.pdf",
            label="page 3",
        )
    return deck


@pytest.fixture
def saved(tmp_path):
    def save(content, name="deck.apkg"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return save


def take_in(person, path):
    return importing.take_in(person, person.workspaces.first(), path, path.name)


def collection(tmp_path, name):
    from anki.collection import Collection

    return Collection(str(tmp_path / f"{name}.anki2"))


def anki_takes(col, path):
    from anki.collection import ImportAnkiPackageOptions, ImportAnkiPackageRequest

    options = ImportAnkiPackageOptions(with_scheduling=True, update_notes=0, merge_notetypes=True)
    return col.import_anki_package(
        ImportAnkiPackageRequest(package_path=str(path), options=options)
    ).log


def anki_gives(col, path, legacy):
    from anki.collection import ExportAnkiPackageOptions

    options = ExportAnkiPackageOptions(
        with_scheduling=True, with_deck_configs=False, with_media=False, legacy=legacy
    )
    col.export_anki_package(out_path=str(path), options=options, limit=None)


def test_anki_reads_our_package_and_a_second_time_adds_nothing(deck, saved, tmp_path):
    col = collection(tmp_path, "mine")
    log = anki_takes(col, saved(anki.package(deck, address)))
    assert len(log.new) == 3
    first = col.get_note(col.find_notes("How long")[0])
    assert first.guid == f"{0:032x}"
    assert first.fields[:2] == ["How long is the notice?", "Three months"]
    assert "Lease of 2025.pdf, page 3" in first.fields[2]
    assert 'href="http://vault.example/library/passages/' in first.fields[2]
    assert first.tags == ["Lease_of_2025.pdf", "vaultsite"]
    hostile = col.get_note(col.find_notes("bold")[0])
    assert "&lt;b&gt;" in hostile.fields[0] and "[latex]" not in hostile.fields[0]
    assert [each.name for each in col.decks.all_names_and_ids() if each.name != "Default"] == [
        "Lease & more"
    ]
    card = deck.cards.first()
    card.back = "Three whole months"
    card.save()
    time.sleep(1.1)  # Anki compares whole seconds
    log = anki_takes(col, saved(anki.package(deck, address)))
    assert (len(log.new), col.note_count(), col.card_count()) == (0, 3, 3)
    assert "Three whole months" in col.get_note(first.id).fields[1]
    col.close()


@pytest.mark.parametrize("legacy", [True, False])
def test_history_goes_to_anki_and_comes_back(deck, saved, tmp_path, alice, bob, legacy):
    """Both of Anki's formats; another person gets the same cards with the same memory."""
    card = deck.cards.first()
    for n, grade in enumerate((4, 3, 1, 3, 3)):
        scheduling.grade(card, grade, BEGAN + timedelta(days=9 * n), seconds=4.5)
    card.refresh_from_db()
    col = collection(tmp_path, "mine")
    anki_takes(col, saved(anki.package(deck, address)))
    theirs = col.get_card(col.find_cards("How long")[0])
    assert (theirs.type, theirs.reps, theirs.lapses) == (2, 5, 1)
    assert theirs.memory_state.stability == pytest.approx(card.schedule["stability"], abs=0.01)
    assert col.db.scalar("select count() from revlog") == 5
    back = tmp_path / "back.apkg"
    anki_gives(col, back, legacy)
    col.close()
    names = zipfile.ZipFile(back).namelist()
    assert ("collection.anki21b" in names) is not legacy

    taken = take_in(alice, back)
    assert (taken.new, taken.known, taken.reviews) == (0, 3, 0)
    taken = take_in(bob, back)
    told = set(Card.objects.get(deck__owner=bob, front__startswith="How long").tags)
    assert told == {"Lease_of_2025.pdf"}, "but not the one that all cards of ours have"
    assert (taken.new, taken.reviews) == (3, 5)
    copy = Card.objects.get(deck__owner=bob, guid=card.guid)
    assert copy.schedule["stability"] == pytest.approx(card.schedule["stability"], rel=0.001)
    assert (copy.lapses, copy.reviews.first().seconds) == (1, 4.5)
    assert copy.front == "How long is the notice?"
    assert "Three months" in copy.back and copy.deck.title == "Lease & more"
    again = take_in(bob, back)
    assert (again.new, again.known, again.reviews) == (0, 3, 0)
    assert Review.objects.filter(card=copy).count() == 5


def test_reviews_done_in_anki_are_added_to_ours(deck, saved, tmp_path, alice):
    card = deck.cards.first()
    scheduling.grade(card, 4, BEGAN)
    package = saved(anki.package(deck, address))
    _edit(
        package,
        "insert into revlog select id + 86400000 * 9, cid, -1, 1, 1, 1, 0, 700, 1 from revlog",
    )
    taken = take_in(alice, package)
    assert (taken.known, taken.reviews) == (3, 1)
    card.refresh_from_db()
    assert [(r.grade, r.state) for r in card.reviews.all()] == [(4, "new"), (1, "review")]
    assert card.lapses == 1


def _edit(package, *statements):
    """Change the package's database."""
    with zipfile.ZipFile(package) as archive:
        content = archive.read("collection.anki2")
    file = package.with_suffix(".db")
    file.write_bytes(content)
    database = sqlite3.connect(file)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    package.write_bytes(zipped({"collection.anki2": file.read_bytes()}))


def zipped(members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


def database(*statements, schema=APKG_SCHEMA + APKG_COL):
    made = sqlite3.connect(":memory:")
    made.executescript(schema)
    for statement, values in statements:
        made.execute(statement, values)
    made.commit()
    return made.serialize()


def note(fields, number=1, guid="abc", kind=1):
    row = "insert into notes values (?, ?, ?, 0, 0, '', ?, 0, 0, 0, '')"
    return row, [number, guid, kind, "\x1f".join(fields)]


def card(number=1, of=1, place=0):
    row = f"insert into cards values (?, ?, 1, ?, {', '.join(['0'] * 13)}, '')"
    return row, [number, of, place]


def models(*kinds):
    told = {}
    for number, (names, templates, cloze) in enumerate(kinds, 1):
        told[number] = {
            "flds": [{"name": name} for name in names],
            "tmpls": [{"qfmt": question, "afmt": answer} for question, answer in templates],
            "type": int(cloze),
        }
    return "update col set models = ?", [json.dumps(told)]


def test_scripts_go_and_latex_stays_text(alice, saved):
    nasty = [
        "<script>alert(1)</script>What<br>is <img src=x onerror=alert(1)>this?[sound:a.mp3]",
        "[latex]\\write18{rm}[/latex] &lt;i&gt;<style>p{}</style><b>bold</b>&nbsp;end",
    ]
    take_in(alice, saved(zipped({"collection.anki2": database(note(nasty), card())})))
    made = Card.objects.get()
    assert made.front == "What\nis this?"
    assert made.back == "[latex]\\write18{rm}[/latex] <i>bold end"


def test_reversed_cards_and_gaps_become_cards_of_their_own(alice, saved):
    pair = (["Word", "Meaning"], [("{{Word}}", "{{Meaning}}"), ("{{Meaning}}", "{{Word}}")], False)
    gaps = (["Text", "Extra"], [("{{cloze:Text}}", "{{cloze:Text}}{{Extra}}")], True)
    content = database(
        models(pair, gaps),
        note(["Haus", "house"], 1, "pair", 1),
        note(["{{c1::Bonn}} was the capital before {{c2::Berlin::city}}.", ""], 2, "gap", 2),
        *(card(1, 1, 0), card(2, 1, 1), card(3, 2, 0), card(4, 2, 1)),
    )
    taken = take_in(alice, saved(zipped({"collection.anki2": content})))
    assert taken.new == 4
    told = {made.guid: (made.front, made.back) for made in Card.objects.all()}
    assert told["pair"] == ("Haus", "house")
    assert told["pair-1"] == ("house", "Haus")
    assert told["gap"][0] == "____ was the capital before Berlin."
    assert told["gap-1"][0] == "Bonn was the capital before [city]."
    assert told["gap-1"][1].startswith("Berlin\n\n")


ENDLESS = "with recursive n(x) as (select 1 union all select x + 1 from n) select x from n"
GOOD = database(note(["Front?", "Back"]), card())
HOSTILE = {
    "no zip at all": b"PK\x03\x04 but nothing else",
    "cut off": zipped({"collection.anki2": GOOD})[:-300],
    "no collection": zipped({"../../../../tmp/owned": b"x", "/etc/cron.d/x": b"x"}),
    "no database": zipped({"collection.anki2": b"I am text."}),
    "a corrupt one": zipped({"collection.anki2": GOOD[:1000] + b"\xff" * 3000 + GOOD[4000:]}),
    "cut short": zipped({"collection.anki2": GOOD[:5000]}),
    "no zstd": zipped({"collection.anki21b": GOOD}),
    "a bomb": zipped({"collection.anki2": b"SQLite format 3\x00" + bytes(300 << 20)}),
    "a zstd bomb": zipped({"collection.anki21b": zstandard.compress(bytes(300 << 20))}),
    "no tables": zipped({"collection.anki2": database(schema="create table x (y);")}),
    "an endless view": zipped(
        {
            "collection.anki2": database(
                schema="create table col (models, decks); create table cards (id, nid, did, ord);"
                f"create view notes as select x id, x guid, x mid, x flds from ({ENDLESS});"
            )
        }
    ),
    "strange JSON": zipped(
        {"collection.anki2": database(("update col set models = ?", ["[" * 90_000]))}
    ),
    "not a table": b"\x00\x01\x02" * 100,
    "one column": b"only\none\ncolumn\n",
    "nothing": b"",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_refused_in_words(alice, saved, what):
    with pytest.raises(importing.Refusal) as refusal:
        take_in(alice, saved(HOSTILE[what]))
    assert str(refusal.value).endswith(".")
    assert not Card.objects.exists() and not Deck.objects.exists()


def test_names_that_lead_elsewhere_are_never_written(alice, saved, tmp_path):
    members = {"../../escaped": b"x", "collection.anki2": GOOD, "/tmp/vault-escaped": b"x"}
    assert take_in(alice, saved(zipped(members))).new == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deck.apkg"]
    assert not any(path.name == "escaped" for path in tmp_path.parent.parent.iterdir())


def test_numbers_of_the_wrong_kind_are_left_out(alice, saved):
    log = "insert into revlog values (?, 1, 0, ?, 0, 0, 0, ?, 0)"
    content = database(
        note(["Front?", "Back"]),
        card(),
        (log, [1, 3, 0]),
        (log, [9_000_000_000_000_000, 3, 0]),
        (log, [1_750_000_000_000, 9, 0]),
        (log, [1_750_000_000_001, "x", 0]),
        (log, [1_750_000_000_002, 3, -5]),
        ("update col set conf = ?", ['{"schedVer": 2}']),
    )
    taken = take_in(alice, saved(zipped({"collection.anki2": content})))
    assert (taken.new, taken.reviews) == (1, 1)
    assert Review.objects.get().seconds is None


@pytest.mark.parametrize(("version", "grade"), [(1, 4), (2, 3)])
def test_the_old_scheduler_had_three_buttons_while_learning(alice, saved, version, grade):
    content = database(
        note(["Front?", "Back"]),
        card(),
        ("insert into revlog values (1750000000000, 1, 0, 3, 0, 0, 0, 900, 0)", []),
        ("update col set conf = ?", [json.dumps({"schedVer": version})]),
    )
    take_in(alice, saved(zipped({"collection.anki2": content})))
    assert Review.objects.get().grade == grade


def test_a_table_goes_out_harmless_and_comes_back_once(deck, saved, alice, bob):
    content = "".join(anki.table(deck, address))
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [row["Back"] for row in rows][1].startswith("'=cmd()")
    path = saved(content.encode(), "deck.csv")
    assert take_in(alice, path).new == 0
    for _ in range(2):
        take_in(bob, path)
    theirs = Card.objects.filter(deck__owner=bob)
    assert sorted(theirs.values_list("front", "back", "guid")) == sorted(
        deck.cards.values_list("front", "back", "guid")
    )


@pytest.mark.parametrize(
    "content",
    [
        b"Haus\thouse\nBaum\ttree\n",
        b"Haus;house\nBaum;tree\n",
        b"front,back\nHaus,house\nBaum,tree\n",
        b"#separator:tab\n#html:true\n#guid column:1\nx1\t<b>Haus</b>\thouse\nx2\tBaum\ttree<br>\n",
        "\ufeffHaus,house\r\nBaum,tree".encode(),
    ],
)
def test_tables_of_many_kinds(alice, saved, content):
    for expected in (2, 0):
        assert take_in(alice, saved(content, "Words.tsv")).new == expected
    told = Card.objects.values_list("front", "back", "deck__title")
    assert list(told) == [("Haus", "house", "Words"), ("Baum", "tree", "Words")]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<br>b", "a\nb"),
        ("<div>a</div><div>b</div>", "a\n\nb"),
        ("a &amp; b &lt;c&gt;", "a & b <c>"),
        ("<script>if (a < b) x()</script>c", "c"),
        ("\\(x^2\\) [$]y[/$]", "\\(x^2\\) [$]y[/$]"),
        ("a\x00b", "ab"),
        ("<" * 5000, "<" * 5000),
    ],
)
def test_fields_become_text(html, text):
    assert fields.text(html) == text


def test_files_go_in_and_out_by_the_pages(reader, deck, alice, bob, client):
    for kind in ("apkg", "csv"):
        answer = reader.get(reverse("study:deck_export", args=[deck.pk, kind]))
        assert (
            answer.headers["Content-Disposition"] == f'attachment; filename="Lease & more.{kind}"'
        )
    content = reader.get(reverse("study:deck_export", args=[deck.pk, "apkg"])).content
    client.force_login(bob)
    upload = SimpleUploadedFile("deck.apkg", content)
    page = client.post(reverse("study:deck_import"), {"file": upload}, follow=True)
    assert "3 new cards" in page.text and "Lease &amp; more" in page.text
    bad = SimpleUploadedFile("deck.apkg", b"PK\x03\x04nothing")
    page = client.post(reverse("study:deck_import"), {"file": bad})
    assert page.status_code == 422 and "damaged" in page.text
    assert client.post(reverse("study:deck_import")).status_code == 422


def test_tags_come_with_a_table_and_go_out_again(alice, tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("Front,Back,Tags\nHund,dog,tiere vaultsite tiere leicht\nHaus,house,\n")
    take_in(alice, path)
    deck = Deck.objects.get()
    assert [card.tags for card in deck.cards.all()] == [["tiere", "leicht"], []]
    assert "tiere leicht" in "".join(anki.table(deck, lambda card: ""))
    assert fields.tags("a\x00b " + "x" * 200 + " <script>") == ["ab", "x" * 100, "<script>"]
