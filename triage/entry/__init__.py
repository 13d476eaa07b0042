"""Three doors to one recipe: command line, Action, comment command."""
