"""Passages become practice."""
