# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The private keys that the next certificates of leaves are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._errors import PrivateKeyError, StepError
from .._kube.resources import SECRETS
from .._leaves.key import Keys, KnownKey, RotationPolicy, Take, choose
from .._pki.keys import PrivateKey, load_stored_key
from .._strimzi.leaves import LeafSecret
from .._strimzi.observe import Observation
from .._strimzi.secret_data import entries
from .._strimzi.work import Work
from .new_keys import new_keys


def keys_of(
    leaves: Sequence[LeafSecret], following: Mapping[str, PrivateKey], observation: Observation, work: Work
) -> dict[str, PrivateKey]:
    """By the Secret of the leaf. following: the next keys that are stored. Raises StepError where keys are not to be made
    anew, and that of a leaf cannot be used.
    """
    used = frozenset(leaf.chain[0].public_key_sha256 for leaf in observation.snapshot.every_leaf if leaf.chain)
    found: dict[str, PrivateKey] = {}
    for leaf in leaves:
        present, problem = (
            _present(leaf, observation, work) if work.settings.rotation is RotationPolicy.NEVER else (None, "")
        )
        next_key = following.get(leaf.secret)
        choice = choose(
            Keys(_known(next_key), _known(present), problem, used), work.settings.leaf_key, work.settings.rotation
        )
        if choice.take is Take.NONE:
            raise _kept_and_unusable(leaf, choice.why, observation)
        taken = {Take.PRESENT: present, Take.FOLLOWING: next_key}.get(choice.take)
        if taken is not None:
            found[leaf.secret] = taken
    missing = [leaf.secret for leaf in leaves if leaf.secret not in found]
    return {**found, **dict(zip(missing, new_keys(len(missing), work), strict=True))}


def _present(leaf: LeafSecret, observation: Observation, work: Work) -> tuple[PrivateKey | None, str]:
    """The key of the leaf that is stored, and why it cannot be used where there is one."""
    secret = observation.secrets.get(leaf.secret)
    if leaf.secret in observation.served:
        # Of users nothing private is kept in memory.
        secret = work.client.get_or_none(SECRETS, leaf.namespace, leaf.secret)
    content = entries(secret).get(f"{leaf.entry}.key")
    if content is None:
        return None, f"it has no entry {leaf.entry}.key" if secret is not None else ""
    try:
        return load_stored_key(content), ""
    except PrivateKeyError as error:
        return None, f"{leaf.entry}.key is {error}"


def _known(key: PrivateKey | None) -> KnownKey | None:
    return None if key is None else KnownKey(key.public_key_sha256, key.spec)


def _kept_and_unusable(leaf: LeafSecret, why: str, observation: Observation) -> StepError:
    return StepError(
        f"The key in Secret {observation.scope.namespace}/{leaf.secret}",
        f"is to be kept (rotation_policy=never), and cannot be used: {why}",
        "Put a usable key there, in PEM form and unencrypted, or have new ones made: rotation_policy=always.",
    )
