"""Read the card files of others: Anki packages and tables, in a child process."""
