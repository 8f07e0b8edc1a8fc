"""Tags and filters for all pages; they need no load tag."""
