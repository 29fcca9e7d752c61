"""What rules are written in: layers, stage kinds, fields, formulas, texts, packs. This floor knows no game."""
