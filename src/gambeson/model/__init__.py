"""What exists: entities, pools, effects, hits, state, commands, events, decisions. This floor knows no rules."""
