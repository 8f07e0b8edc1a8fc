"""The pages of decks, cards and reviews."""

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.progress.models import Event
from apps.study import scheduling
from apps.study.models import Card, Deck, Review

HTMX = {"HX-Request": "true"}


@pytest.fixture
def deck(alice, workspace):
    deck = Deck.objects.create(owner=alice, workspace=workspace, title="Lease")
    for n in range(3):
        Card.objects.create(
            deck=deck, ordinal=n, front=f"Question {n}?", back=f"Answer {n}", guid=str(n)
        )
    return deck


def url(name, *ids):
    return reverse(f"study:{name}", args=ids)


def test_the_list_tells_what_is_mastered_and_due(reader, deck, alice):
    card = deck.cards.first()
    scheduling.mark(card, "mastered")
    page = reader.get(url("deck_list"))
    assert "3 cards · 33 % mastered" in page.text
    assert (
        "No deck is called that." in reader.get(url("deck_list"), {"q": "zzz"}, headers=HTMX).text
    )
    other = alice.workspaces.create(name="Other")
    Deck.objects.create(owner=alice, workspace=other, title="Elsewhere")
    assert "Elsewhere" not in reader.get(url("deck_list")).text


def test_an_empty_list_says_what_to_do(reader):
    assert "Make a deck" in reader.get(url("deck_list")).text


def test_a_deck_shows_the_cards_of_a_status(reader, deck):
    scheduling.mark(deck.cards.get(ordinal=1), "review")
    page = reader.get(deck.get_absolute_url(), {"status": "review"})
    assert "Question 1?" in page.text and "Question 0?" not in page.text
    for words in ("All 3", "Unmarked 2", "Learning 1", "Mastered 0"):
        assert words in page.text
    assert "Question 0?" in reader.get(deck.get_absolute_url(), {"status": "x", "page": "y"}).text


def test_a_card_is_added_changed_and_deleted(reader, deck):
    page = reader.post(url("card_create", deck.pk), {"front": "New?", "back": "Yes"}, follow=True)
    assert "New?" in page.text
    card = deck.cards.get(front="New?")
    assert (card.ordinal, len(card.guid)) == (3, 32)
    assert reader.post(url("card_create", deck.pk), {"front": ""}).status_code == 422
    assert reader.post(url("card", card.pk), {"front": "", "back": "x"}).status_code == 422
    reader.post(url("card", card.pk), {"front": "Newer?", "back": "No"})
    card.refresh_from_db()
    assert (card.front, card.back) == ("Newer?", "No")
    reader.post(url("card_delete", card.pk))
    assert deck.cards.count() == 3


def test_a_mark_is_set_and_taken_away(reader, deck):
    card = deck.cards.first()
    for expected in ("mastered", "unmarked"):
        page = reader.post(url("card_mark", card.pk), {"status": "mastered"}, headers=HTMX)
        assert "deck-state" in page.text
        card.refresh_from_db()
        assert card.status == expected
    assert reader.post(url("card_mark", card.pk), {"status": "nonsense"}).status_code == 302


def test_only_turning_to_the_back_counts(reader, deck):
    card = deck.cards.first()
    for data in ({"back": "on"}, {}, {"back": "on"}):
        assert reader.post(url("card_flip", card.pk), data, headers=HTMX).status_code == 204
    card.refresh_from_db()
    assert (card.flips, Event.objects.filter(kind="card_flipped").count()) == (2, 2)


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_review_goes_from_front_to_back_to_the_next_card(reader, deck, headers):
    card = deck.cards.first()
    page = reader.get(url("review"), headers=headers)
    assert "Question 0?" in page.text and "Answer 0" not in page.text
    page = reader.post(url("card_show", card.pk), headers=headers, follow=True)
    assert "Answer 0" in page.text and "10 min" in page.text
    grade = {"grade": "4", "seen": "0", "shown": "x"}
    page = reader.post(url("card_grade", card.pk), grade, headers=headers, follow=True)
    assert "Question 1?" in page.text and "1 done today" in page.text
    page = reader.post(url("card_grade", card.pk), grade, headers=headers, follow=True)
    assert "graded in another tab" in page.text
    assert Review.objects.count() == 1
    page = reader.post(url("review_undo"), headers=headers, follow=True)
    assert "Question 0?" in page.text
    page = reader.post(url("review_undo"), headers=headers, follow=True)
    assert "no grade to take back" in page.text
    assert not Review.objects.exists()


def test_a_review_of_one_deck_stays_there(reader, deck, alice, workspace):
    other = Deck.objects.create(owner=alice, workspace=workspace, title="Other")
    card = Card.objects.create(deck=other, ordinal=0, front="Other?", back="Yes", guid="o")
    asked = f"?deck={other.pk}"
    assert "Other?" in reader.get(url("review") + asked).text
    page = reader.post(url("card_grade", card.pk) + asked, {"grade": "4"}, follow=True)
    assert "Done for today" in page.text and "Back to the deck" in page.text


def test_what_is_a_strangers_is_not_there(client, bob, deck):
    client.force_login(bob)
    for query in (f"?deck={deck.pk}", f"?card={deck.cards.first().pk}"):
        assert client.get(url("review") + query).status_code == 404
    assert "Nothing is due" in client.get(url("review")).text
    assert client.get(url("review") + "?deck=x&card=²").status_code == 200


def test_a_card_forgotten_eight_times_says_so(reader, deck):
    card = deck.cards.first()
    card.lapses = 8
    card.save()
    for page in (
        reader.get(url("card", card.pk)),
        reader.get(url("review"), {"card": card.pk, "side": "back"}),
    ):
        assert "You forgot this card 8 times" in page.text


def test_the_hub_begins_with_what_is_due(reader, deck):
    page = reader.get(url("home")).text
    assert "Due today" in page and "all of them new" in page
    assert "Cards that come back in the next 30 days" not in page
    scheduling.grade(deck.cards.first(), 4, timezone.now())
    page = reader.get(url("home")).text
    assert "Cards that come back in the next 30 days" in page


def test_a_deck_is_renamed_and_deleted(reader, deck):
    page = reader.post(url("deck_rename", deck.pk), {"title": "Flat"}, follow=True)
    assert "It is called “Flat” now." in page.text
    assert "Delete “Flat”?" in reader.get(url("deck_delete", deck.pk)).text
    reader.post(url("deck_delete", deck.pk))
    assert not Card.objects.exists()


def test_few_queries_whatever_the_size(reader, deck, django_assert_max_num_queries):
    for n in range(3, 80):
        Card.objects.create(deck=deck, ordinal=n, front=f"Q{n}?", back="A", guid=str(n))
    reader.get(deck.get_absolute_url())
    with django_assert_max_num_queries(10):
        page = reader.get(deck.get_absolute_url())
    assert "1–60 of 80" in page.text


def test_a_session_ends_where_cards_come_back_in_minutes(reader, deck):
    deck.cards.exclude(ordinal=0).delete()
    card = deck.cards.get()
    page = reader.post(
        url("card_grade", card.pk) + f"?deck={deck.pk}", {"grade": "3"}, headers=HTMX
    )
    assert "Done for now" in page.text and "One card comes back in 10 minutes." in page.text
    assert card.front not in page.text
    on = f"{url('review')}?deck={deck.pk}&amp;ahead=1"
    assert on in page.text
    page = reader.get(on.replace("&amp;", "&"))
    assert card.front in page.text and "Early: nothing else is waiting." in page.text
    page = reader.post(url("card_show", card.pk) + f"?deck={deck.pk}&ahead=1", headers=HTMX)
    assert f"?deck={deck.pk}&amp;ahead=1" in page.text, "it goes on ahead"


@pytest.mark.parametrize(
    ("back", "shown"),
    [
        ("Twelve", True),
        ("The deposit is  twelve euros.", False),
        ("It is this: The deposit is twelve euros. And no more.", False),
    ],
)
def test_a_card_says_its_sentence_once(reader, deck, back, shown):
    card = deck.cards.first()
    told = {"quote": "The deposit is\ntwelve euros.", "document_name": "Lease.pdf", "back": back}
    Card.objects.filter(pk=card.pk).update(**told)
    page = reader.post(url("card_show", card.pk), headers=HTMX)
    assert ("<mark>" in page.text) == shown and "Lease.pdf" in page.text
