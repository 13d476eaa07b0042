"""Where else a failure was seen: the store, then GitHub within a budget."""
