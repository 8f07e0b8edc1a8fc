"""What a person has done, and what it adds up to."""
