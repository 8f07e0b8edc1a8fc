"""What becomes of text: the same lexemes for passages and questions, whatever the spelling."""

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.library import analysis
from apps.library.analysis.folding import fold, normalise
from apps.library.analysis.languages import SNOWBALL, detect_language, function_words, stem

settings.register_profile("vault", deadline=None)
settings.load_profile("vault")

# Also what no keyboard types: NUL, lone surrogates, marks without letters, tsquery's own signs.
ANY_TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("'\\:|&!<->*()§#+-_./\0\ud800\u0301 \n09aA"))
)


def lexemes(text: str, language: str = "en") -> set[str]:
    return set(analysis.analyse("", text, language).lexemes)


def asked(text: str, *languages: str) -> set[str]:
    return set(analysis.question(text, languages or ("en", "de")).lexemes)


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_may_be_analysed(title, text):
    passage = analysis.analyse(title, text, "en")
    assert passage.length >= 0
    passage.literal().encode("utf-8")


@given(ANY_TEXT)
def test_any_question_may_be_analysed(text):
    question = analysis.question(text, ("en", "de"))
    assert all(slot.lexemes and all(slot.lexemes) for slot in question.slots)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=ANY_TEXT)
def test_postgresql_takes_every_literal(connected, text):
    passage = analysis.analyse(text, text, "de")
    with connection.cursor() as cursor:
        cursor.execute("SELECT tsvector_to_array(%s::tsvector)", [passage.literal()])
        assert set(cursor.fetchone()[0]) == set(passage.lexemes)


@pytest.fixture
def connected(db) -> None:
    """One transaction for all examples."""


@given(st.from_regex(r"[a-cX-Z]{2,9}[0-9]{1,5}", fullmatch=True), st.sampled_from("-_./:"))
def test_an_identifier_survives_whatever_stands_between_its_parts(word, separator):
    code = f"{word}{separator}{word}9"
    assert asked(code) & lexemes(f"See {code}, please.") & {"#" + (word + word).casefold() + "9"}


@given(st.text(max_size=300))
def test_a_text_is_found_by_itself(text):
    found = lexemes(text, "de")
    question = analysis.question(text, ("de",))
    if question.language in {"", "de"} and analysis.analyse("", text, "de").language == "de":
        assert all(set(slot.lexemes) & found for slot in question.slots)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("§ 573 BGB", {"#§573", "573", "bgb"}),
        ("§573", {"#§573"}),
        ("Paragraph 573 Absatz 2", {"#§573", "#§573(2)"}),
        ("§ 573 (2)", {"#§573(2)"}),
        ("§ 573 Abs. 2 Nr. 1", {"#§573(2)", "#§573(2)(1)"}),
        ("§§ 12, 13a und 15", {"#§12", "#§13a", "#§15"}),
        ("Section 586(e)(1)", {"#§586", "#§586(e)", "#§586(e)(1)"}),
        ("28 CFR 58.3, 586(e)", {"58.3", "#586(e)"}),
        ("Art. 6 DSGVO", {"#art6", "dsgvo"}),
        ("Article 6", {"#art6"}),
        ("CVE-2024-1234", {"#cve20241234", "cve", "2024", "1234"}),
        ("foo_bar()", {"#foobar", "foo", "bar"}),
        ("--foo-bar", {"#foobar"}),
        ("FOO_BAR", {"#foobar"}),
        ("Foo.bar", {"#foobar"}),
        ("fooBar", {"#foobar", "foo", "bar"}),
        ("v1.2.3", {"#v123"}),
        ("C++", {"#c++"}),
        ("C#", {"#c#"}),
        ("Error 404B", {"error", "#404b", "404"}),
        ("/etc/nginx/nginx.conf", {"#etcnginxnginxconf", "nginx", "conf"}),
        ("https://example.org/a/b?c=1", {"#httpsexampleorgabc1", "exampl"}),
        ("jane.doe@example.org", {"#janedoeexampleorg", "jane", "doe"}),
        ("DIN-EN-ISO 9001", {"#dineniso", "din", "iso", "9001"}),
        ("1,234,567.5", {"1234567.5"}),
        ("1.234.567,5", {"1234567.5"}),
        ("U.S.C.", {"usc"}),
        ("re-entry", {"re", "entri", "reentri"}),
        ("50 %", {"50"}),
        ("TXN-98765-2024", {"#txn987652024", "~txn98765"}),
        ("REPAIR-2022-INV-001.pdf", {"~inv001", "~repair2022inv001", "~repair2022"}),
        ("E-4017-2", {"~e4017"}),
        ("CVE-2024-6387", {"~cve2024", "~20246387"}),
        ("backup_rotate.py", {"#backuprotatepy", "~backuprotate"}),
        ("PAYD_LOG_LEVEL", {"~loglevel"}),
        ("192.168.178.1", {"#1921681781", "192", "178"}),
        ("DE02 1203 0000 0000 2020 51", {"#de02120300000000202051"}),
        ("GB29 NWBK 6016 1331 9268 19", {"#gb29nwbk60161331926819", "nwbk"}),
        ("Tel. 040/123 45 67", {"#0401234567", "040", "123"}),
        ("(030) 1234567", {"#0301234567"}),
        ("+49 171 1234567", {"#491711234567"}),
        ("4.260,00 Euro", {"4260"}),
        ("4,260.00", {"4260"}),
        ("1.420,50", {"1420.50"}),
        ("ab12 this that", {"#ab12", "this", "that"}),
    ],
)
def test_identifiers_are_kept_whole_and_in_parts(text, wanted):
    assert wanted <= lexemes(text)


@pytest.mark.parametrize(
    "text", ["2024-11-23T10:22:33", "3f2a-91bc-77de-01ab-22cd-9f9f", "pgbouncer-1"]
)
def test_what_is_no_name_has_no_parts(text):
    assert not {each for each in lexemes(text) if each[0] == "~"}


def test_a_column_of_numbers_is_no_telephone():
    assert "#" not in "".join(lexemes("0400 1200 3000 4100 5200 6300"))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("DE02120300000000202051", "IBAN DE02 1203 0000 0000 2020 51"),
        ("DE02 1203 0000 0000 2020 51", "IBAN DE02120300000000202051"),
        ("0401234567", "Tel. 040 / 123 45 67"),
        ("040 123 45 67", "Tel. 0401234567"),
        ("1234567890", "Steuernummer 12/345/67890"),
        ("12/345/67890", "Steuernummer 1234567890"),
        ("4260", "eine Sicherheit von 4.260,00 Euro"),
        ("4.260,00", "a deposit of 4,260"),
        ("TXN-98765", "Beleg TXN-98765-2024"),
    ],
)
def test_numbers_meet_however_they_are_divided(question, text):
    every = analysis.question(question, ("de", "en")).slots
    named = next(slot for slot in every if not slot.within)
    assert {*named.lexemes, named.plain} & lexemes(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Größe", "Groesse"),
        ("Größe", "GRÖSSE"),
        ("Größe", "große"),
        ("Straße", "Strasse"),
        ("Müller", "Mueller"),
        ("Häusern", "Haus"),
        ("Kündigungen", "Kündigung"),
        ("Mu\u0308ller", "Müller"),
        ("Kün\u00addi\u00adgung", "Kündigung"),
        ("Donau\u2011Dampfer", "Donau-Dampfer"),
        ("ﬁnden", "finden"),
        ("２０２４", "2024"),
    ],
)
def test_german_spellings_meet(one, other):
    assert lexemes(one, "de") & lexemes(other, "de")


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "notices", "notice"),
        ("fr", "chevaux", "cheval"),
        ("es", "canciones", "canción"),
        ("ru", "книги", "книга"),
        ("tr", "kitaplar", "kitap"),
        ("ar", "السَّلَام", "السلام"),
        ("he", "שָׁלוֹם", "שלום"),
        ("ja", "東京都", "東京"),
        ("zh", "合同终止", "终止合同"),
        ("ko", "서울특별시", "서울"),
        ("th", "ภาษาไทย", "ไทย"),
        ("hi", "हिन्दी", "हिन्दी"),
        ("el", "δρόμους", "δρόμος"),
    ],
)
def test_other_languages_meet_their_inflections(language, one, other):
    assert lexemes(one, language) & lexemes(other, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The tenant may end the lease when it is due.", "en"),
        ("Der Mieter kann den Vertrag kündigen, wenn er fällig ist.", "de"),
        ("Le locataire et la caution ne sont pas tenus dans les cas où le bail est nul.", "fr"),
        ("El inquilino puede terminar el contrato cuando quiera.", "es"),
        ("Najemca może rozwiązać umowę, która została zawarta przez strony.", "pl"),
        ("Арендатор может расторгнуть договор.", "ru"),
        ("Ο ενοικιαστής μπορεί να καταγγείλει τη σύμβαση.", "el"),
        ("賃借人は契約を終了することができる。", "ja"),
        ("承租人可以终止合同。", "zh"),
        ("임차인은 계약을 해지할 수 있다.", "ko"),
        ("يجوز للمستأجر إنهاء العقد", "ar"),
        ("השוכר רשאי לסיים את החוזה", "he"),
        ("12 345", ""),
        ("", ""),
    ],
)
def test_languages_are_told_apart(text, language):
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "language", "shown"),
    [
        ("Item | Price | d | m\nRadio | 12 | d | m", "fr", False),  # two letters are no language
        ("list\n- li\n- li item\n- abc li", "it", False),
        ("ao", "pt", True),
        ("Paid at the counter with a card, to be kept in the file.", "en", True),
        ("für Übungen", "de", True),
        ("承租人可以终止合同。", "zh", True),
    ],
)
def test_a_document_is_in_a_language_that_it_shows(text, language, shown):
    assert analysis.shows(text, language) is shown


def test_a_short_passage_takes_the_language_of_its_document():
    assert analysis.analyse("", "Kündigungsfrist drei Monate", "de").language == "de"
    assert analysis.analyse("", "foo bar", "de").language == "de"


def test_one_word_makes_no_language_where_the_document_has_none():
    hosts = "gitea;git-01;3022;Tobias\ngrafana;mon-01;3000;Mira\nredis;cache-01;6379;Ada"
    assert analysis.analyse("ports.csv", hosts, "").language == ""
    assert analysis.analyse("", "Ich heiße Ada", "").language == "de"


def test_a_passage_in_another_language_keeps_its_own():
    text = "The tenant may end the lease when it is due, and so may the landlord."
    assert analysis.analyse("", text, "de").language == "en"


def test_headings_weigh_more():
    passage = analysis.analyse("Lease", "# Notice\nThree months.", "en")
    assert [heading for _, heading in passage.lexemes["leas"]] == [True]
    assert [heading for _, heading in passage.lexemes["notic"]] == [True]
    assert [heading for _, heading in passage.lexemes["month"]] == [False]


def test_a_question_drops_function_words_unless_there_is_nothing_else():
    assert asked("What is the notice?") == {"notic", "notice"}
    assert asked("to be or not to be") != set()


def test_a_question_asks_in_the_languages_of_the_workspace():
    assert {"haus", "hauser"} <= asked("Häuser", "en", "de")


def test_a_question_in_a_language_the_workspace_lacks_is_foreign():
    german = "Wie lange ist die Frist für eine Kündigung?"
    assert analysis.question(german, ("en",)).foreign
    assert not analysis.question(german, ("de", "en")).foreign
    assert not analysis.question("Frist", ("en",)).foreign


def test_an_abbreviation_beside_a_number_belongs_to_the_identifier():
    question = analysis.question("BGB § 573", ("de",))
    assert all(slot.identifier for slot in question.slots)
    assert "#art6" in asked("6 DSGVO")
    assert not any(slot.identifier for slot in analysis.question("Hamlet 3", ("en",)).slots)


def test_words_side_by_side_are_pairs():
    question = analysis.question("three months notice", ("en",))
    assert question.pairs == [(0, 1, 1), (1, 2, 1)]


def test_an_essay_as_a_question_is_cut():
    assert len(analysis.question("zebra " * 800 + "river", ("en",)).slots) <= 200


def test_how_many_is_marked_nowhere():
    """The French passage says "manière", whose stem is that of "many"."""
    asked = analysis.question("How many people live there?", ["en", "fr"])
    assert analysis.words_found(asked, "La manière de many people.", "fr") == ("people",)


def test_words_found_are_spelled_as_in_the_passage():
    question = analysis.question("ending the leases of § 573 in Tokyo 東京", ("en",))
    text = "Lease ended (§ 573): 東京都"
    assert set(analysis.words_found(question, text, "en")) == {"Lease", "ended", "§ 573", "東京"}


def test_every_list_of_function_words_has_a_stemmer():
    assert set(function_words()) <= set(SNOWBALL)
    assert all(stem("Wort", language) for language in SNOWBALL)


@pytest.mark.parametrize(
    "text",
    ["a.a" * 9999, "§" * 9999, "§ 1" + "(a)" * 9999, "a@" * 9999, "1 234" * 9999, "x" * 99999],
)
def test_hostile_repetition_is_bounded(text):
    assert len(analysis.analyse(text, text, "en").literal()) < 100_000


def test_folding_is_done_once():
    assert fold(fold("ẞÉ")) == fold("ẞÉ") == "sse"
    assert normalise("plain ascii") == "plain ascii"


def test_a_paragraph_is_known_by_the_section_above_it():
    found = lexemes("§ 3 Fehler\n\n(1) Ein Produkt …\n(2) Ein Produkt hat § 4 nicht …", "de")
    assert {"#§3", "#§3(1)", "#§3(2)"} <= found
    assert "#§4(2)" not in found
    below = analysis.analyse("Gesetz › § 12a Haftung", "(1a) Wird durch …", "de").lexemes
    assert "#§12a(1a)" in below
    above = analysis.analyse("§ 1 Ziel › Anhang", "(1) Wird durch …", "de").lexemes
    assert "#§1(1)" not in above


def test_a_paragraph_asked_for_is_there_where_its_section_is():
    asked_for = analysis.question("§ 3 Absatz 2 ProdHaftG", ["de"]).slots
    assert [slot.lexemes for slot in asked_for[:2]] == [["#§3"], ["#§3(2)", "#§3"]]


@pytest.mark.parametrize(
    ("word", "stems"),
    [
        ("forest", ["forest"]),
        ("Laing", ["laing"]),
        ("Ämter", ["amt"]),
        ("Türen", ["tur", "turen"]),
        ("managements", ["manag", "management"]),
    ],
)
def test_a_word_is_asked_for_by_what_its_stemmers_leave_unless_it_is_next_to_nothing(word, stems):
    asked_for = analysis.question(f"{word}", ("de", "en")).slots[0].lexemes
    assert set(stems) <= set(asked_for)
    assert not {"for", "la"} & set(asked_for)
