"""The guide for people who use the vault: its pages, what errors mean, and asking it."""
