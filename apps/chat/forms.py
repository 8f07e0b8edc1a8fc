"""What a person may send to the chat."""

from typing import Any

from django import forms
from django.http import QueryDict

from apps.chat.models import Conversation, Turn
from apps.library.models import Category, Document, Workspace

LONGEST = 4000  # characters of a question
WEB_QUERY = 200  # characters that may go to the web


class QuestionForm(forms.Form):
    """A question, and what it is asked of: categories and documents, or everything."""

    question = forms.CharField(
        max_length=LONGEST,
        widget=forms.Textarea(
            attrs={"rows": 1, "placeholder": "Ask your documents", "aria-label": "Question"}
        ),
        error_messages={
            "required": "Write a question first.",
            "max_length": "A question may have %(limit_value)d characters, and this one has "
            "%(show_value)d. Shorten it, or add the long part to the library as a text file.",
        },
    )
    categories = forms.ModelMultipleChoiceField(
        Category.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )
    documents = forms.ModelMultipleChoiceField(
        Document.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, workspace: Workspace, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        # A browser would cut off what is pasted, without a word.
        self.fields["question"].widget.attrs.pop("maxlength", None)
        self.fields["categories"].queryset = workspace.categories.all()  # type: ignore[attr-defined]
        documents = workspace.documents.searchable().order_by("name")
        self.fields["documents"].queryset = documents  # type: ignore[attr-defined]

    def complaint(self) -> str:
        """What is wrong, as one sentence for a page that does not show the form."""
        return " ".join(str(each) for errors in self.errors.values() for each in errors)


class EditForm(forms.Form):
    """A question in other words, and what the person knew of the conversation meanwhile."""

    question = QuestionForm.base_fields["question"]
    last = forms.IntegerField(widget=forms.HiddenInput)
    web_query = forms.CharField(
        label="Sent to the web", max_length=WEB_QUERY, required=False, widget=forms.TextInput
    )

    def __init__(self, turn: Turn, last: int, sent: QueryDict | None) -> None:
        known = {"question": turn.question, "last": last, "web_query": turn.web_query}
        super().__init__(sent, initial=known)
        self.fields["question"].widget.attrs |= {"aria-label": "Your question", "autofocus": True}
        self.fields["question"].widget.attrs.pop("maxlength", None)
        if turn.mode != Turn.Mode.WEB:
            del self.fields["web_query"]


class TitleForm(forms.ModelForm):  # type: ignore[type-arg]
    """Another name for a conversation."""

    class Meta:
        model = Conversation
        fields = ["title"]
