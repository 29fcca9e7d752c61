"""The version of gambeson, for everybody who has to name it."""

__version__ = "0.1.0"
