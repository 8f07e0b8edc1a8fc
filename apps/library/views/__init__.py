"""What a person can do in the library, a module for each kind of thing."""
