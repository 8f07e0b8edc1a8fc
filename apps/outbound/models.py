"""The outbound ledger: every attempt of the vault to reach another host."""

from django.db import models


class Attempt(models.Model):
    at = models.DateTimeField(auto_now_add=True)
    process = models.CharField(max_length=40)  # web, worker, models, parser, command
    host = models.CharField(max_length=255)
    port = models.PositiveIntegerField()
    purpose = models.CharField(max_length=120, blank=True)  # the person's act, if there is one
    allowed = models.BooleanField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.process} to {self.host}:{self.port}"
