"""The library's words in templates."""
