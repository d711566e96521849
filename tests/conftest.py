"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# The same examples every time, so that nothing fails by chance; HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("checks", deadline=None, database=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "checks"))
