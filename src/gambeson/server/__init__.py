"""The live table over HTTP. It holds no rules: it hands commands to tables and shows each seat what it may see."""
