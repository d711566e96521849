# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The writes of the ledger's projection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._kube.resources import SECRETS
from .._pki.certificates import encode_certificates
from .._trust.model.steps.trust import Project, Withdraw
from .actions import public_fact
from .observe import Observation
from .secret_data import entries
from .truststore import truststore_entries
from .writes import Write, WriteVerb, secret_patch, version


def project(step: Project, observation: Observation) -> tuple[Write, ...]:
    """Put each CA under an entry of its own: a bundle of unrelated CAs in one key is rejected (docs/operator.md,
    "User-managed CA").
    """
    added = {f"{chain[0].fingerprint}.crt": encode_certificates(chain) for chain in step.chains}
    subjects = ", ".join(chain[0].subject for chain in step.chains)
    return _edit_certificates(observation, dict(added), f"trust {subjects}")


def withdraw(step: Withdraw, observation: Observation) -> tuple[Write, ...]:
    leaving = {key: None for key, chain in observation.snapshot.ca.others.items() if chain[0] == step.certificate}
    if not leaving:
        return ()
    return _edit_certificates(observation, dict(leaving), f"stop trusting {step.certificate.subject}")


def write_bundle(observation: Observation) -> tuple[Write, ...]:
    """Write the first certificate of every entry, as the operator does (docs/operator.md, "Trust bundle")."""
    ca, name = observation.snapshot.ca, observation.scope.trust_bundle_secret
    anchors = [chain[0] for chain in (ca.current, *ca.others.values()) if chain]
    facts = {"trusted": sorted(map(public_fact, anchors))}
    patch = secret_patch({observation.scope.bundle_entry: encode_certificates(anchors)})
    what = f"trust {len(anchors)} CAs"
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(observation.secrets[name]), {}, facts),)


def _edit_certificates(observation: Observation, changed: dict[str, bytes | None], what: str) -> tuple[Write, ...]:
    name = observation.scope.ca_certificate_secret
    existing = observation.secrets[name]
    return (certificate_write(existing, name, changed, {}, what),)


def certificate_write(
    existing: Mapping[str, Any],
    name: str,
    changed: dict[str, bytes | None],
    annotations: Mapping[str, str | None],
    what: str,
) -> Write:
    """An update of the CA certificate Secret; the PKCS#12 truststore beside the PEM entries follows, if there is one."""
    present = entries(existing)
    merged = {key: value for key, value in {**present, **changed}.items() if value is not None}
    patch = secret_patch({**changed, **truststore_entries(present, merged)}, annotations)
    before, after = _entry_facts(present), _entry_facts(merged)
    return Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(existing), before, after)


def _entry_facts(data: Mapping[str, bytes]) -> dict[str, list[str]]:
    return {"entries": sorted(key for key in data if key.endswith(".crt"))}
