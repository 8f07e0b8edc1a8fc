"""What people fill in about themselves and their machine."""

from django import forms
from django.contrib.auth.forms import AuthenticationForm, BaseUserCreationForm, UsernameField
from django.contrib.auth.models import User


class OwnerForm(BaseUserCreationForm):  # type: ignore[type-arg]
    """The first visit: a name and a password, typed twice."""

    class Meta(BaseUserCreationForm.Meta):
        fields = ("username",)
        labels = {"username": "Name to sign in with"}
        help_texts = {"username": "Letters, digits and @ . + - _, without spaces"}


class LoginForm(AuthenticationForm):
    """A name and a password."""

    username = UsernameField(label="Name", widget=forms.TextInput(attrs={"autofocus": True}))


class NameForm(forms.ModelForm):  # type: ignore[type-arg]
    """What the vault calls a person."""

    class Meta:
        model = User
        fields = ("username",)
        labels = {"username": "Name"}
        help_texts = {"username": "You sign in with it. Letters, digits and @ . + - _"}


class PersonForm(NameForm):
    """Somebody new, and what they may do."""

    role = forms.ChoiceField(
        choices=[("member", "Member: sees their own"), ("owner", "Owner: may do everything")],
        initial="member",
    )

    class Meta(NameForm.Meta):
        help_texts = {"username": "They sign in with it. Letters, digits and @ . + - _"}


class PullForm(forms.Form):
    """Which model."""

    name = forms.CharField(
        label="By name",
        max_length=200,
        help_text="As the server's library calls it, for example qwen2.5-coder:0.5b.",
    )


class TokenForm(forms.Form):
    """A key for a program: what it is called, may do, and for how long."""

    name = forms.CharField(max_length=80, help_text="What will use it, for example: backup script.")
    scopes = forms.MultipleChoiceField(
        label="May",
        choices=[
            ("read", "Read: search, ask, list and download"),
            ("write", "Write: upload, change and delete"),
            ("admin", "Administer: list and revoke tokens"),
        ],
        widget=forms.CheckboxSelectMultiple,
        initial=["read"],
    )
    days = forms.TypedChoiceField(
        label="Valid for",
        choices=[("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("", "ever")],
        coerce=int,
        empty_value=None,
        required=False,
        initial="90",
    )
