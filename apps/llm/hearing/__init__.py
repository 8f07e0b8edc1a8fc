"""Recordings become text, on this machine. Needs no Django: it runs in child processes only."""
