"""Measurements run by hand, and by `manage.py benchmark NAME`: each module has `run(options)`."""
