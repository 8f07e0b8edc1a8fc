"""Tests of what runs the vault: database, processes, scripts."""
