"""Documents in, passages out."""
