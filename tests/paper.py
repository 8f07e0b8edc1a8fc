"""A browser that knows HTML and nothing else: it opens pages, follows links and sends forms.

    paper.open("/library/")
    paper.follow("Choose files")
    paper.send("Add to Home", file=[File("a.txt", b"One.")])
    assert "a.txt" in paper.text

It finds a link or a button by words that it shows or is called by, and sends what the form says.
What is not there, or hidden, cannot be pressed: a button that needs JavaScript is noticed.
"""

from typing import Any

from django.test import Client
from lxml import html
from lxml.html import HtmlElement

HERE = "http://testserver"
HIDDEN = "ancestor-or-self::*[@hidden or self::template]"


class Paper:
    def __init__(self, client: Client) -> None:
        self.client = client
        self.url = ""
        self.page: HtmlElement = html.fromstring("<html></html>")

    @property
    def text(self) -> str:
        """What the page says, without its scripts, as one line."""
        return " ".join(self.page.text_content().split())

    @property
    def looks_again(self) -> bool:
        """Whether the page asks to be loaded again by itself."""
        return bool(self.page.xpath("//noscript//meta[@http-equiv='refresh']"))

    def open(self, url: str) -> None:
        self._take(self.client.get(url, follow=True, headers=self._from), url)

    def again(self) -> None:
        self.open(self.url)

    def follow(self, words: str) -> None:
        """Click the first link of these words."""
        self.open(self._found(words, "//a[@href]").get("href", ""))

    def send(self, words: str, **filled: Any) -> None:
        """Press the first button of these words whose form has the fields; a list is several."""
        button = self._found(words, "//button[not(@type='button') and not(@disabled)]", *filled)
        form = self._form(button)
        sent = self._stands(form) | filled
        if button.get("name"):
            sent[button.get("name", "")] = button.get("value", "")
        url = button.get("formaction") or form.get("action") or self.url
        post = (form.get("method") or "get").lower() == "post"
        press = self.client.post if post else self.client.get
        self._take(press(url, sent, follow=True, headers=self._from), url)

    @property
    def _from(self) -> dict[str, str]:
        return {"Referer": HERE + self.url} if self.url else {}

    def _take(self, answer: Any, url: str) -> None:
        assert answer.status_code < 400, f"{url} answered {answer.status_code}"
        last = answer.redirect_chain[-1][0] if answer.redirect_chain else url
        self.url = last.removeprefix(HERE)
        self.page = html.fromstring(answer.content.decode())

    def _found(self, words: str, path: str, *fields: str) -> HtmlElement:
        seen = [each for each in self.page.xpath(path) if not each.xpath(HIDDEN)]
        for each in seen:
            if words in self._name(each) and all(
                self._fields(self._form(each), field) for field in fields
            ):
                return each
        told = [self._name(each) for each in seen]
        raise AssertionError(f"No {words!r} with {fields} among {told} of {self.url}.")

    def _name(self, element: HtmlElement) -> str:
        labels = element.xpath("./@aria-label | .//@aria-label")
        return " ".join([*element.text_content().split(), *labels])

    def _form(self, button: HtmlElement) -> HtmlElement:
        if name := button.get("form"):
            return self.page.get_element_by_id(name)
        return next(button.iterancestors("form"))

    def _fields(self, form: HtmlElement, name: str = "") -> list[HtmlElement]:
        """The form's fields, wherever they stand."""
        own = form.xpath(".//input[not(@form)] | .//select[not(@form)] | .//textarea[not(@form)]")
        if form.get("id"):
            own += self.page.xpath("//*[@form=$id]", id=form.get("id"))
        return [each for each in own if each.get("name") and name in ("", each.get("name"))]

    def _stands(self, form: HtmlElement) -> dict[str, Any]:
        """What is sent when nothing is touched."""
        stands: dict[str, Any] = {}
        for field in self._fields(form):
            kind = field.get("type", "")
            if field.tag == "button" or kind in ("file", "submit") or field.get("disabled"):
                continue
            if kind in ("checkbox", "radio") and field.get("checked") is None:
                continue
            value = field.value if field.tag != "input" else field.get("value", "on")
            if value is not None:
                stands.setdefault(field.get("name", ""), []).append(value)
        return stands
