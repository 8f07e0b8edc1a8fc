"""What people fill in about themselves."""

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User


class OwnerForm(BaseUserCreationForm):  # type: ignore[type-arg]
    """The first visit: a name and a password, typed twice."""

    class Meta(BaseUserCreationForm.Meta):
        fields = ("username",)
        labels = {"username": "Your name"}
        help_texts = {"username": "Letters, digits and @ . + - _"}


class NameForm(forms.ModelForm):  # type: ignore[type-arg]
    """What the vault calls a person."""

    class Meta:
        model = User
        fields = ("username",)
        labels = {"username": "Name"}
        help_texts = {"username": "You sign in with it. Letters, digits and @ . + - _"}
