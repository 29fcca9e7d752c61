"""The live table for people: what each screen shows, and how what they touch becomes inputs."""
