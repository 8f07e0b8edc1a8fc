"""What the library knows documents by that say nearly the same; a part of its models."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models


class Likeness(models.Model):
    """What a document's text is known by among others that say nearly the same."""

    document = models.OneToOneField(
        "library.Document", models.CASCADE, primary_key=True, related_name="likeness"
    )
    owner_id = models.BigIntegerField()
    numbers = models.BinaryField()  # a MinHash: 128 numbers of four bytes
    bands = ArrayField(models.BigIntegerField())

    class Meta:
        indexes = [GinIndex(fields=["bands"], name="likeness_bands", fastupdate=False)]

    def __str__(self) -> str:
        return f"likeness of {self.document_id}"
