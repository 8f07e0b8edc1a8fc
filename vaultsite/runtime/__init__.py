"""What runs: the embedded database, and the processes of `manage.py up`."""
