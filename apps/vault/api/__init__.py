"""The JSON API: what the rooms can do, for the owner's other programs."""
