"""How much the property tests try: HYPOTHESIS_PROFILE is default, ci or long."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

unhurried = settings(
    deadline=None,  # a busy machine is not a fault
    derandomize=False,  # every run tries something new
    max_examples=100,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("default", unhurried)
settings.register_profile("ci", unhurried)
settings.register_profile("long", unhurried, max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
