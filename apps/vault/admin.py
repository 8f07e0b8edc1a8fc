"""What Django's admin may not do here: people are made and deleted on their own page.

Deleting an account in the admin would leave the files of its documents behind.
"""

from django.contrib import admin
from django.contrib.auth.models import Group, User

admin.site.unregister([User, Group])
