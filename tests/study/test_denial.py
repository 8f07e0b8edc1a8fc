"""Where a proof says "not", what is proven says so too; and the other way round."""

import pytest

from apps.study import denial

BEES = (
    "Der Halter eines Bienenvolks haftet für den Schaden, den ein Schwarm anrichtet, es sei denn, "
    "der Schwarm hatte sein Grundstück verlassen."
)
ESCAPED = "Wenn der Schwarm sein Grundstück verlassen hatte"
SWARM = (
    "The keeper of a bee colony is liable for damage done by a swarm unless the swarm had left "
    "the keeper's land."
)
LIFT = "Nutzt jemand den Lift bei Feuer, so sind die Regeln der Hausordnung nicht anzuwenden."
DUTY = "Die Pflicht des Wirts ist ausgeschlossen, wenn er die Speise nicht ausgegeben hat."
DUTY_WHEN = "Wann ist die Pflicht des Wirts ausgeschlossen?"
FERRY = "Fahrräder reisen kostenlos mit, Hunde brauchen eine Karte für zwei Euro."
FLAT = "It is returned within six months after the flat was handed over without damage."

AGREE = [
    (f"Wann haftet der Halter eines Bienenvolks nicht? {ESCAPED}", BEES),
    ("Wofür haftet der Halter eines Bienenvolks? Für den Schaden, den ein Schwarm anrichtet", BEES),
    ("Welche Regeln sind nicht anzuwenden, wenn jemand den Lift nutzt? Die Hausordnung", LIFT),
    (f"{DUTY_WHEN} Wenn er die Speise nicht ausgegeben hat", DUTY),
    ("Was kostet die Karte für einen Hund? Zwei Euro", FERRY),
    ("When is the keeper of a colony not liable? When the swarm had left the keeper's land", SWARM),
    ("When is the deposit returned? Within six months", FLAT),
    ("It must not be longer than a page.", "A letter mustn't be longer than a page."),
    ("Nicht nur Hunde brauchen eine Karte.", "Nicht nur Hunde, auch Katzen brauchen eine Karte."),
    ("House No. 6 has a lift.", "House no. 6 has a lift."),
]
OPPOSED = [
    (f"Wann haftet der Halter eines Bienenvolks? {ESCAPED}", BEES),
    ("Der Halter eines Bienenvolks haftet nicht für den Schaden, den ein Schwarm anrichtet.", BEES),
    ("Welche Regeln sind anzuwenden, wenn jemand den Lift nutzt? Die Hausordnung", LIFT),
    ("Die Regeln der Hausordnung sind anzuwenden.", LIFT),
    (f"{DUTY_WHEN} Wenn er die Speise ausgegeben hat", DUTY),
    ("Wann besteht die Pflicht des Wirts? Wenn er die Speise nicht ausgegeben hat", DUTY),
    ("Die Vereinbarung ist wirksam.", "Eine solche Vereinbarung ist unwirksam."),
    ("The contract is invalid.", "The contract is valid for a year."),
    ("When is the keeper of a colony liable? When the swarm had left the keeper's land", SWARM),
    ("An e-mail is enough.", "An e-mail is not enough."),
    ("Dogs may enter without a ticket.", "Dogs may not enter without a ticket."),
    ("Hunde dürfen weder in den Hof noch ins Haus.", "Hunde dürfen in den Hof und ins Haus."),
    ("Alle Tiere außer Hunden reisen kostenlos.", "Alle Tiere reisen kostenlos, auch Hunde."),
]


@pytest.mark.parametrize(("said", "proof"), AGREE)
def test_what_agrees_with_its_proof_passes(said, proof):
    assert not denial.opposed(said, proof)


@pytest.mark.parametrize(("said", "proof"), OPPOSED)
def test_what_denies_its_proof_does_not(said, proof):
    assert denial.opposed(said, proof)


@pytest.mark.parametrize(
    ("wrong", "right", "true"),
    [
        ("Fahrräder", "Hunde", True),  # they stand there too: who may say what was meant?
        ("Eine Karte für Fahrräder", "Eine Karte", True),
        ("Keine Karte", "Eine Karte", False),
        ("Zehn Euro", "Zwei Euro", False),
        ("One euro", "Two euros", False),
    ],
)
def test_a_wrong_answer_that_the_proof_says_is_not_wrong(wrong, right, true):
    assert denial.true_by(wrong, right, FERRY) is true


def test_a_sentence_of_a_lesson_is_compared_with_the_sentence_it_is_about():
    passage = f"{FERRY} Ab Windstärke acht fährt die Fähre nicht. Sie bleibt im Hafen."
    assert denial.contradicts("Ab Windstärke acht fährt die Fähre.", passage)
    assert not denial.contradicts("Hunde brauchen eine Karte.", passage)
    both = "Ab Windstärke acht fährt die Fähre nicht und bleibt im Hafen."
    assert not denial.contradicts(both, passage)
    assert not denial.contradicts("", passage)
    assert not denial.contradicts("Hunde brauchen eine Karte.", "")
