# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key that the next certificate is for: the rows of "Improved and extensible Certificate controller", "keymanager"."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import (
    Choice,
    Keys,
    KnownKey,
    RotationPolicy,
    Take,
    choose,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec

WANTED = KeySpec(KeyAlgorithm.RSA, 2048)
OTHER = KeySpec(KeyAlgorithm.ECDSA, 256)
ALWAYS, NEVER = RotationPolicy.ALWAYS, RotationPolicy.NEVER
NEXT, PRESENT = KnownKey("next", WANTED), KnownKey("present", WANTED)
NOTHING = Keys(None, None)
IN_USE = Keys(None, PRESENT, used=frozenset({"present"}))
BOTH = replace(IN_USE, following=NEXT)
BROKEN = Keys(None, None, "it cannot be read")


@pytest.mark.parametrize(
    ("keys", "policy", "expected"),
    [
        pytest.param(NOTHING, ALWAYS, Choice(Take.NEW), id="none yet"),
        pytest.param(IN_USE, ALWAYS, Choice(Take.NEW), id="every certificate gets a key of its own"),
        pytest.param(BOTH, ALWAYS, Choice(Take.FOLLOWING), id="the next key is stored and matches"),
        pytest.param(replace(BOTH, following=KnownKey("next", OTHER)), ALWAYS, Choice(Take.NEW), id="of another kind"),
        pytest.param(
            replace(BOTH, following=KnownKey("next", KeySpec(KeyAlgorithm.RSA, 4096))), ALWAYS, Choice(Take.NEW), id="of another size"
        ),
        pytest.param(replace(BOTH, used=frozenset({"next"})), ALWAYS, Choice(Take.NEW), id="a certificate in use has it"),
        pytest.param(replace(BROKEN, following=NEXT), ALWAYS, Choice(Take.FOLLOWING), id="the present key does not matter"),
        pytest.param(NOTHING, NEVER, Choice(Take.NEW), id="never: none to be kept"),
        pytest.param(replace(NOTHING, following=NEXT), NEVER, Choice(Take.FOLLOWING), id="never: none to be kept, and one is stored"),
        pytest.param(IN_USE, NEVER, Choice(Take.PRESENT), id="never: the present key"),
        pytest.param(BOTH, NEVER, Choice(Take.PRESENT), id="never: the present key, whatever is stored"),
        pytest.param(replace(IN_USE, present=KnownKey("present", OTHER)), NEVER, Choice(Take.PRESENT), id="never: the user chooses its kind"),
        pytest.param(BROKEN, NEVER, Choice(Take.NONE, "it cannot be read"), id="never: an unusable one is not replaced"),
        pytest.param(replace(BROKEN, following=NEXT), NEVER, Choice(Take.NONE, "it cannot be read"), id="never: not even by the next"),
    ],
)  # fmt: skip
def test_which_key(keys: Keys, policy: RotationPolicy, expected: Choice) -> None:
    assert choose(keys, WANTED, policy) == expected


SPECS = st.sampled_from([WANTED, OTHER])
KNOWN = st.none() | st.builds(KnownKey, st.sampled_from(["a", "b"]), SPECS)
KEYS = st.builds(
    Keys, KNOWN, KNOWN, st.sampled_from(["", "it cannot be read"]), st.frozensets(st.sampled_from(["a", "b"]))
)


@given(KEYS, SPECS, st.sampled_from(RotationPolicy))
def test_what_was_chosen_is_chosen_again(keys: Keys, wanted: KeySpec, policy: RotationPolicy) -> None:
    """Until it is used, so that a run that goes on asks for the same."""
    first = choose(keys, wanted, policy)
    stored = {
        Take.NEW: KnownKey("new", wanted),
        Take.PRESENT: keys.present,
        Take.FOLLOWING: keys.following,
        Take.NONE: keys.following,
    }[first.take]
    second = choose(replace(keys, following=stored), wanted, policy)
    assert second == (Choice(Take.FOLLOWING) if first.take is Take.NEW else first)


@given(KEYS, SPECS)
def test_a_key_of_a_certificate_in_use_is_never_used_again(keys: Keys, wanted: KeySpec) -> None:
    if choose(keys, wanted, ALWAYS).take is Take.FOLLOWING:
        assert keys.following is not None
        assert keys.following.public not in keys.used


@given(KEYS, SPECS)
def test_never_makes_none_anew(keys: Keys, wanted: KeySpec) -> None:
    if keys.present is not None or keys.problem:
        assert choose(keys, wanted, NEVER).take in (Take.PRESENT, Take.NONE)
