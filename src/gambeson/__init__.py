"""gambeson: a rules referee for layered protection and magic at the gaming table."""
__version__ = "0.1.0"
