"""Stories in Chromium: what only a browser can break."""
