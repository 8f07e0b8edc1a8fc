"""The chat's doors, a module for each kind of thing. One request begins an answer, more follow."""
