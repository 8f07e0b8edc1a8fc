"""What the worker may be asked to do for the vault room; the asking is in `backups`."""

from apps.vault import backups


def back_up_if_due() -> bool:
    """Each hour, by a schedule of django-q: the backup that VAULT_BACKUP_EVERY promises."""
    backups.tidy()
    return backups.is_due() and bool(backups.begin())


def back_up() -> bool:
    """What the owner has asked for by the button."""
    return bool(backups.begin())
