"""The referee: works commands out against a pack and a state. This floor knows no game by name."""
