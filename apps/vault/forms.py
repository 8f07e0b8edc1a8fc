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


class PullForm(forms.Form):
    """Which model."""

    name = forms.CharField(
        label="By name",
        max_length=200,
        help_text="As the server's library calls it, for example qwen2.5-coder:0.5b.",
    )
