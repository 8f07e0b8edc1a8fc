"""What a person may send to the chat."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.chat import attachments, preferring
from apps.chat.models import Attachment, Conversation, Prompt, Turn
from apps.library.models import Category, Document, Workspace

LONGEST = 5000  # characters of a question
WEB_QUERY = 200  # characters that may go to the web
TOO_MANY = gettext_lazy("At most %(most)s files go along with a question. Remove some.")


class QuestionForm(forms.Form):
    """A question, and what it is asked of: categories and documents, or everything."""

    question = forms.CharField(
        max_length=LONGEST,
        widget=forms.Textarea(
            attrs={
                "rows": 1,
                "placeholder": gettext_lazy("Ask your documents"),
                "aria-label": gettext_lazy("Question"),
            }
        ),
        error_messages={
            "required": gettext_lazy("Write a question first."),
            "max_length": gettext_lazy(
                "A question may have %(limit_value)d characters, and this one has %(show_value)d."
                " Shorten it, or add the long part to the library as a text file."
            ),
        },
    )
    categories = forms.ModelMultipleChoiceField(
        Category.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )
    documents = forms.ModelMultipleChoiceField(
        Document.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )

    attachments = forms.ModelMultipleChoiceField(
        Attachment.objects.none(),
        required=False,
        error_messages={
            "invalid_choice": gettext_lazy("An attached file is no longer there. Attach it again.")
        },
    )
    mode = forms.ChoiceField(choices=Turn.Mode, required=False)
    web_query = forms.CharField(
        max_length=WEB_QUERY,
        required=False,
        error_messages={
            "max_length": gettext_lazy("What goes to the web may have %(limit_value)d characters.")
        },
    )
    think = forms.TypedChoiceField(
        choices=[("yes", "yes"), ("no", "no")],
        required=False,
        coerce=lambda value: value == "yes",
        empty_value=None,
    )

    def __init__(self, workspace: Workspace, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.owner_id = workspace.owner_id
        unsent = Attachment.objects.filter(owner=self.owner_id, conversation=None)
        self.fields["attachments"].queryset = unsent  # type: ignore[attr-defined]
        # A browser would cut off what is pasted, without a word.
        self.fields["question"].widget.attrs.pop("maxlength", None)
        self.fields["categories"].queryset = workspace.categories.all()  # type: ignore[attr-defined]
        documents = workspace.documents.searchable().order_by("name")
        self.fields["documents"].queryset = documents  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        cleaned["mode"] = cleaned.get("mode") or Turn.Mode.VAULT
        if cleaned["mode"] != Turn.Mode.WEB:
            cleaned["web_query"] = ""
        elif not cleaned.get("web_query") and not self.errors:
            self.add_error(
                "web_query", _("Write what the web is asked; nothing else is sent to it.")
            )
        self._take_files(cleaned)
        return cleaned

    def _take_files(self, cleaned: dict[str, Any]) -> None:
        """Files sent with the form itself, without JavaScript, join those attached before."""
        sent = self.files.getlist("files") if self.files else []
        before = list(cleaned.get("attachments") or [])
        if len(before) + len(sent) > attachments.MOST:
            self.add_error("attachments", TOO_MANY % {"most": attachments.MOST})
        elif not self.errors:
            try:
                before += [attachments.take(self.owner_id, each) for each in sent]
            except attachments.NotTaken as reason:
                self.add_error("attachments", str(reason))
        cleaned["attachments"] = before

    def complaint(self) -> str:
        """What is wrong, as one sentence for a page that does not show the form."""
        return " ".join(str(each) for errors in self.errors.values() for each in errors)


class EditForm(forms.Form):
    """A question in other words, and what the person knew of the conversation meanwhile."""

    question = QuestionForm.base_fields["question"]
    last = forms.IntegerField(widget=forms.HiddenInput)
    web_query = forms.CharField(
        label=gettext_lazy("Sent to the web"),
        max_length=WEB_QUERY,
        required=False,
        widget=forms.TextInput,
    )

    def __init__(self, turn: Turn, last: int, sent: QueryDict | None) -> None:
        known = {"question": turn.question, "last": last, "web_query": turn.web_query}
        super().__init__(sent, initial=known, auto_id=f"edited-{turn.pk}-%s")
        self.fields["question"].widget.attrs |= {"aria-label": _("Your words")}
        self.fields["question"].widget.attrs.pop("maxlength", None)
        if turn.mode != Turn.Mode.WEB:
            del self.fields["web_query"]


class TitleForm(forms.ModelForm):  # type: ignore[type-arg]
    """Another name for a conversation."""

    class Meta:
        model = Conversation
        fields = ["title"]


class InstructionsForm(forms.Form):
    """What the reader wants of every answer in a workspace."""

    instructions = forms.CharField(
        label=gettext_lazy("Instructions for every answer"),
        help_text=gettext_lazy(
            "How answers should be: their tone, their length, what to look out for. They go to the"
            " model within the vault's own rules; sources are cited all the same."
        ),
        max_length=preferring.LONGEST,
        required=False,
        widget=forms.Textarea(attrs={"rows": 8}),
    )


class PromptForm(forms.ModelForm):  # type: ignore[type-arg]
    """A question to keep."""

    text = QuestionForm.base_fields["question"]

    class Meta:
        model = Prompt
        fields = ["title", "text"]
        labels = {"title": gettext_lazy("Title")}
