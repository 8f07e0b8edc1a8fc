"""The ground: what browsers and Django need from each other."""
