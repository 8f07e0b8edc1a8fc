"""What people fill in about themselves and their machine."""

from typing import Any

from django import forms
from django.contrib.auth.forms import (
    AuthenticationForm,
    BaseUserCreationForm,
    PasswordChangeForm,
    SetPasswordForm,
    UsernameField,
)
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

# Of a name to sign in with, which Django would call a username.
NAME_ERRORS = {
    "invalid": _("A name has letters, digits and @ . + - _ only, and no spaces."),
    "max_length": _(
        "A name has at most %(limit_value)s characters, and this one has %(show_value)s."
    ),
    "unique": _("Somebody has this name already. Choose another one."),
}


def _in_our_words(form: forms.BaseForm, first: str, again: str) -> None:
    """Say about a new password what it takes, once and shortly."""
    form.fields[first].help_text = _(
        "At least 8 characters. Not your name, and none that many people use."
    )
    form.fields[again].label = _("The same once more")
    form.fields[again].help_text = ""


class OwnerForm(BaseUserCreationForm):  # type: ignore[type-arg]
    """The first visit: a name and a password, typed twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _in_our_words(self, "password1", "password2")

    def full_clean(self) -> None:
        """Where only the passwords are wrong, both are typed again: the first has the focus."""
        super().full_clean()
        if self.errors and "username" not in self.errors:
            self.fields["username"].widget.attrs.pop("autofocus", None)
            self.fields["password1"].widget.attrs["autofocus"] = True

    class Meta(BaseUserCreationForm.Meta):
        fields = ("username",)
        labels = {"username": _("Name to sign in with")}
        help_texts = {"username": _("Letters, digits and @ . + - _, without spaces")}
        error_messages = {"username": NAME_ERRORS}


class LoginForm(AuthenticationForm):
    """A name and a password."""

    username = UsernameField(label=_("Name"), widget=forms.TextInput(attrs={"autofocus": True}))
    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": _("This name and password do not belong together. Capitals count."),
    }


class FirstPasswordForm(SetPasswordForm):  # type: ignore[type-arg]
    """A password by a link, typed twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password1"].label = _("Password")
        _in_our_words(self, "new_password1", "new_password2")


class PasswordForm(PasswordChangeForm):
    """Another password: the one until now, and the new one twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["old_password"].label = _("Password until now")
        _in_our_words(self, "new_password1", "new_password2")


class NameForm(forms.ModelForm):  # type: ignore[type-arg]
    """What the vault calls a person."""

    class Meta:
        model = User
        fields = ("username",)
        labels = {"username": _("Name")}
        help_texts = {"username": _("You sign in with it. Letters, digits and @ . + - _")}
        error_messages = {"username": NAME_ERRORS}


class PersonForm(NameForm):
    """Somebody new, and what they may do."""

    role = forms.ChoiceField(
        label=_("Role"),
        choices=[("member", _("Member: sees their own")), ("owner", _("Owner: may do everything"))],
        initial="member",
    )

    class Meta(NameForm.Meta):
        help_texts = {"username": _("They sign in with it. Letters, digits and @ . + - _")}


class PullForm(forms.Form):
    """Which model."""

    name = forms.CharField(
        label=_("By name"),
        max_length=200,
        help_text=_("As the server's library calls it, for example qwen2.5-coder:0.5b."),
    )


class TokenForm(forms.Form):
    """A key for a program: what it is called, may do, and for how long."""

    name = forms.CharField(
        label=_("Name"), max_length=80, help_text=_("What will use it, for example: backup script.")
    )
    scopes = forms.MultipleChoiceField(
        label=pgettext_lazy("is allowed to", "May"),
        choices=[
            ("read", _("Read: search, ask, list and download")),
            ("write", _("Write: upload, change and delete")),
            ("admin", _("Administer: list and revoke tokens")),
        ],
        widget=forms.CheckboxSelectMultiple,
        initial=["read"],
    )
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        choices=[("30", _("30 days")), ("90", _("90 days")), ("365", _("a year")), ("", _("ever"))],
        coerce=int,
        empty_value=None,
        required=False,
        initial="90",
    )
