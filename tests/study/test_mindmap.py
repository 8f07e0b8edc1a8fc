"""A mindmap from passages to a page, with the model at the wire."""

import json

import pytest
from django.urls import reverse

from apps.progress.models import Event
from apps.study import forgetting, generation, mindmap, mindmap_tree
from apps.study.models import Job, Mindmap, Rejection
from tests.library.passages import document

PASSAGES = [
    "The tenant must give notice of three months in writing. The letter has to reach the office "
    "of the cooperative by the third working day of a month. An e-mail is not enough for that.",
    "The heat pump is serviced every twelve months by Kessler GmbH. At each service the filter is "
    "replaced and the pressure of the refrigerant is written into the service book of the house.",
    "The deposit amounts to two net rents and is paid into an account of its own. It is returned "
    "within six months after the flat was handed over without damage and with all keys.",
    "Pets need the consent of the cooperative. Dogs must be kept on a lead in the stairwell and "
    "in the garden, and they may not disturb the neighbours between ten at night and six.",
]
BRANCHES = {
    "notice of three": ("Notice in writing", ["Three months", "Third working day", "No e-mail"]),
    "heat pump": ("Heat pump", ["Serviced every twelve months", "Filter is replaced"]),
    "deposit": ("Deposit", ["Two net rents", "Returned within six months"]),
    "Pets": ("Pets", ["Consent of the cooperative", "Dogs on a lead"]),
}
DETAILS = {
    "Third working day": ["The letter reaches the office", "Volcanoes of Iceland"],
    "Serviced every twelve months": ["Kessler GmbH", "Heat pump"],
}


@pytest.fixture
def lease(workspace):
    return document(workspace, "Lease.pdf", PASSAGES)


@pytest.fixture
def made(alice, workspace, lease):
    job = Job.objects.create(owner=alice, workspace=workspace, kind="mindmap", asked=5)
    job.documents.add(lease)
    return Mindmap.objects.create(owner=alice, workspace=workspace, job=job, title="Lease.pdf")


def branch(words):
    topic, points = BRANCHES[words]
    told = [{"point": point, "details": DETAILS.get(point, [])} for point in points]
    return json.dumps({"topic": topic, "points": told})


def scripted(ollama, *answers):
    for answer, words in zip(answers, BRANCHES, strict=False):
        ollama.says(branch(words) if answer is None else answer)


def worked(made):
    generation.work_next()
    made.refresh_from_db()
    made.job.refresh_from_db()
    return made


def test_branches_come_with_the_passage_behind_each_node(made, ollama):
    scripted(ollama, None, None, None, None)
    worked(made)
    assert (made.job.state, made.job.made, made.job.asked) == ("done", 4, 4)
    assert made.tree["label"] == "Lease"
    assert made.branches == [topic for topic, _ in BRANCHES.values()]
    third = mindmap_tree.find(made.tree, "0.1")["children"]
    assert [node["label"] for node in third] == ["The letter reaches the office"]
    assert [n["label"] for n in mindmap_tree.find(made.tree, "1.0")["children"]] == ["Kessler GmbH"]
    for _, node in list(mindmap_tree.walk(made.tree))[1:]:
        assert len(node["label"]) <= 60
        assert any(node["quote"] in text for text in PASSAGES)
        assert node["chunk"]
    event = Event.objects.get(kind="mindmap_created")
    assert event.facts["branches"] == 4
    assert ollama.asked[0]["messages"][:-1] == ollama.asked[-1]["messages"][:-1]


@pytest.mark.parametrize(
    "nonsense",
    [
        "I'd rather not.",
        '{"topic": "No',
        "[1, 2]",
        '{"topic": 7, "points": "none"}',
        '{"topic": "Volcanoes of Iceland", "points": [{"point": "Hekla"}, {"point": "Katla"}]}',
        '{"topic": "Notice in writing", "points": [{"point": "Hekla"}, {"point": "Katla"}]}',
    ],
)
def test_what_the_model_gets_wrong_twice_is_done_by_rule_and_said(made, ollama, nonsense, reader):
    ollama.says(nonsense)
    scripted(ollama, nonsense, None)
    # The branches after the first come as they should.
    for words in list(BRANCHES)[2:]:
        ollama.says(branch(words))
    worked(made)
    assert made.job.state == "done"
    first = made.tree["children"][0]
    assert first["by_rule"]
    assert 2 <= len(first["children"]) <= 4
    page = reader.get(made.get_absolute_url()).content.decode()
    assert "One branch put together by rule" in page


def test_without_a_language_model_all_is_done_by_rule(made, settings, ollama):
    ollama.models.clear()
    job = made.job
    pieces = [mindmap._pieces(each) for each in mindmap.plan(job)]
    known: set[str] = set()
    for each in pieces:
        tree = mindmap.by_rule(each, " ".join(PASSAGES), known)
        assert tree["label"]
        assert len({child["label"] for child in tree["children"]}) == len(tree["children"]) >= 2
        assert all(child["label"] in each[0].chunk.text for child in tree["children"])


def test_the_quick_way_asks_no_model(reader, alice, lease, ollama):
    page = reader.post("/study/mindmaps/new/", {"scope": ["all"], "quick": "on"})
    while generation.work_next():
        pass
    job = Job.objects.get()
    assert (job.state, job.made, ollama.asked) == ("done", 4, [])
    assert "put together by rule" in reader.get(page.url).text


def test_long_labels_are_cut_at_a_word_and_repeated_ones_left_out(made, ollama):
    mindmap.plan(made.job)
    pieces = mindmap._pieces(made.job.plan[0])
    long = "The letter has to reach the office of the cooperative by the third working day"
    points = [mindmap.PointItem(point=each) for each in (long, "Three months", "three  months!")]
    item = mindmap.BranchItem(topic="Notice", points=points)
    tree = mindmap.checked(item, pieces, mindmap.Known(set(), set()))
    labels = [child["label"] for child in tree["children"]]
    assert labels == ["The letter has to reach the office of the cooperative", "Three months"]
    assert (
        mindmap.checked(item, pieces, mindmap.Known({"notice"}, {"notice"}))
        == "the topic is empty or there already"
    )


def test_a_model_that_is_gone_fails_with_its_words_and_goes_on_later(made, ollama):
    scripted(ollama, None)
    ollama.answer().fails("out of memory")
    worked(made)
    assert (made.job.state, made.job.made) == ("failed", 1)
    assert "out of memory" in made.job.reason
    for words in list(BRANCHES)[1:]:
        ollama.says(branch(words))
    generation.go_on(made.job)
    worked(made)
    assert made.job.state == "done"
    assert made.branches == [topic for topic, _ in BRANCHES.values()]
    third = mindmap_tree.find(made.tree, "0.1")["children"]
    assert [node["label"] for node in third] == ["The letter reaches the office"]
    assert [n["label"] for n in mindmap_tree.find(made.tree, "1.0")["children"]] == ["Kessler GmbH"]


def test_a_scope_with_too_little_text_says_what_is_needed(alice, workspace, ollama):
    job = Job.objects.create(owner=alice, workspace=workspace, kind="mindmap", everywhere=True)
    made = Mindmap.objects.create(owner=alice, workspace=workspace, job=job, title="Nothing")
    document(workspace, "Short.txt", ["Only one short line of text is here, and nothing else."])
    worked(made)
    assert made.job.state == "short"
    assert "too little text" in made.job.reason


def test_a_document_deleted_meanwhile_ends_the_map_early(made, ollama, lease):
    mindmap.plan(made.job)
    lease.delete()
    worked(made)
    assert (made.job.state, made.job.made) == ("short", 0)
    assert Rejection.objects.filter(job=made.job).count() == 4


def test_stretches_are_four_to_six_groups_of_neighbours_that_end_with_sections():
    def units(*counts):
        return [
            {"section": f"s{n}", "piece": [n * 100 + k, 0, 9]}
            for n, count in enumerate(counts)
            for k in range(count)
        ]

    assert mindmap.stretches(units(3)) == []
    assert len(mindmap.stretches(units(4))) == 4
    assert len(mindmap.stretches(units(*[1] * 40))) == 6
    firsts = [each["pieces"][0][0] for each in mindmap.stretches(units(9, 11, 10, 8, 12))]
    assert firsts == [0, 100, 200, 300, 400]
    assert all(1 <= len(each["pieces"]) <= 4 for each in mindmap.stretches(units(200)))


def test_from_the_form_to_the_page(reader, alice, lease, ollama):
    new = reverse("study:mindmap_new")
    assert b"Choose at least one document" in reader.post(new, {}).content
    answer = reader.post(new, {"scope": [f"d{lease.pk}"]})
    made = Mindmap.objects.get()
    assert answer.url == made.get_absolute_url()
    assert b"The first branch is being made" in reader.get(answer.url).content
    scripted(ollama, None, None, None, None)
    worked(made)
    page = reader.get(made.get_absolute_url()).content.decode()
    assert page.count('class="map-node"') == 16
    assert 'role="img"' in page
    assert page.count("data-node=") == 16
    listed = reader.get(f"{made.get_absolute_url()}?view=list").content.decode()
    assert "map-picture" not in listed
    assert "Notice in writing" in reader.get(reverse("study:mindmap_list")).content.decode()
    assert (
        b"No mindmap is called that"
        in reader.get(reverse("study:mindmap_list"), {"q": "zebra"}).content
    )


@pytest.fixture
def drawn(made, lease):
    chunk = lease.chunks.first()
    leaf = {"label": "<b>Three</b> months", "chunk": chunk.pk, "quote": "notice", "children": []}
    leaf |= {"document": "Lease.pdf", "place": "page 1"}
    made.tree = {
        "label": "Lease",
        "chunk": None,
        "children": [
            {"label": "Notice", "chunk": None, "children": [leaf]},
            {"label": "Pets", "chunk": None, "children": []},
        ],
    }
    made.save()
    return made


def test_a_node_shows_its_passage_and_leads_to_a_question(reader, drawn, lease):
    address = reverse("study:node", args=[drawn.pk, "0.0"])
    page = reader.get(address).content.decode()
    assert "&lt;b&gt;Three&lt;/b&gt; months" in page
    assert "<b>Three" not in page
    assert reverse("library:passage", args=[lease.chunks.first().pk]) in page
    link = page.split('class="button primary" href="')[1].split('"')[0]
    chat = reader.get(link.replace("&amp;", "&")).content.decode()
    assert "What do my documents say about “&lt;b&gt;Three&lt;/b&gt; months”?" in chat
    part = reader.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert reader.get(reverse("study:node", args=[drawn.pk, "0.7"])).status_code == 404
    assert reader.get(reverse("study:node", args=[drawn.pk, "x"])).status_code == 404


def test_a_deleted_document_is_not_quoted_any_more(made, ollama, lease):
    scripted(ollama, None, None, None, None)
    worked(made)
    forgetting.forget(lease)
    made.refresh_from_db()
    assert made.branches[0] == "Notice in writing"
    assert not any(node.get("quote") for _, node in mindmap_tree.walk(made.tree))


def test_nodes_are_renamed_and_taken_out(reader, drawn):
    def post(act, path, **told):
        return reader.post(reverse(f"study:node_{act}", args=[drawn.pk, path]), told)

    post("rename", "0.0", label=" Twelve\n weeks ")
    post("rename", "0", label="   ")
    drawn.refresh_from_db()
    assert drawn.tree["children"][0]["children"][0]["label"] == "Twelve weeks"
    assert drawn.branches == ["Notice", "Pets"]
    post("delete", "1", label="Dogs")
    post("delete", "root", label="Lease")
    drawn.refresh_from_db()
    assert drawn.branches == ["Notice", "Pets"]
    post("delete", "0", label="Notice")
    drawn.refresh_from_db()
    assert drawn.branches == ["Pets"]


def test_a_map_is_renamed_and_deleted_and_what_was_earned_stays(reader, made, ollama):
    scripted(ollama, None, None, None, None)
    worked(made)
    reader.post(reverse("study:mindmap_rename", args=[made.pk]), {"title": "House"})
    made.refresh_from_db()
    assert made.title == "House"
    reader.post(reverse("study:mindmap_delete", args=[made.pk]))
    assert not Mindmap.objects.exists()
    assert Event.objects.filter(kind="mindmap_created").count() == 1
