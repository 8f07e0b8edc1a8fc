"""A question becomes a cited answer."""
