# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Writes about backups of a CA: making them, putting Secrets back from them, and removing them (docs/storage.md,
"Backups").

A backup contains a private key, and stays in the namespace of the CA Secrets. The three Secrets contain the last three
CAs that were in use: a backup of the CA in use is renewed in its place, and a further CA takes the place of the oldest
backup.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..._errors import StepError, TooLarge
from ..._kube.resources import SECRETS
from ..._trust.model.snapshot import StateSecrets
from ..._trust.model.steps.authority import RestoreSecrets
from ..._trust.rules.restore import is_sound
from ..._trust.rules.restore import restore_secrets as find_restoration
from ..cluster.backups import (
    OWN_ENTRIES,
    BackupRecord,
    as_secret,
    content_of,
    digest_of,
    encode_backup,
    encode_record,
    is_whole,
    read_record,
    secrets_to_keep,
)
from ..cluster.observe import Observation
from ..ledger.layouts import is_entry_of_ledger, ledger_parts
from ..names import BACKUP, LAYOUT
from ..secret_data import entries
from .authority import certificate_write
from .operator import forget_request
from .work import Work, Write, WriteVerb, new_secret, public_fact, secret_patch, version, write_all


def keep_backup(observation: Observation, work: Work, phase: str) -> None:
    """Back the CA Secrets and the ledger up as they are, unless a backup has them already or they are damaged. Raises
    KubeError.
    """
    if not is_sound(observation.snapshot):
        return
    try:
        write_all(tuple(_backup(observation)), work, phase)
    except TooLarge as error:
        work.warnings.append(f"{error} The flow goes on without a backup.")


def _backup(observation: Observation) -> Iterator[Write]:
    scope, ca = observation.scope, observation.snapshot.ca
    kept = secrets_to_keep(observation.secrets, scope)
    digest = digest_of(kept)
    records = sorted(_records(observation), key=lambda record: record.kept_at)
    same = [record for record in records if record.authority == ca.current[0].sha256]
    data, mark = encode_backup(kept, ca), encode_record(observation.snapshot.now, ca, digest)
    if any(record.digest == digest and is_whole(observation.secrets, record, data) for record in same):
        return
    free = [name for name in scope.backup_secrets if name not in observation.secrets]
    name = same[-1].name if same else (*free, *(record.name for record in records))[0]
    what, facts = f"back up {ca.current[0].subject}", {"contains": public_fact(ca.current[0])}
    existing = observation.secret(name)
    if existing is None:
        body = new_secret(scope.labels, name, data, mark)
        yield Write(WriteVerb.CREATE, SECRETS, name, what, body, before={}, after=facts)
        return
    changed = {**{entry: None for entry in OWN_ENTRIES if entry in entries(existing)}, **data}
    yield Write(WriteVerb.UPDATE, SECRETS, name, what, secret_patch(changed, dict(mark)), version(existing), {}, facts)


def _records(observation: Observation) -> Iterator[BackupRecord]:
    """The records of the backups. Raises StepError if a Secret has the name of a backup and is none: nothing of it is
    changed.
    """
    for name in observation.scope.backup_secrets:
        record = read_record(observation.secrets, name)
        if record is not None:
            yield record
        elif name in observation.secrets:
            raise StepError(
                f"Secret {observation.scope.namespace}/{name}",
                f"has the name of a backup, and no annotation {BACKUP} that this collection can read",
                "Delete it where it is a backup that was edited, else give it another name; or run without backups "
                "(backup=false, strimzi_backup=false).",
            )


def restore_secrets(step: RestoreSecrets, observation: Observation) -> tuple[Write, ...]:
    """The writes of a restoration: the key before its certificate, and both before the ledger. The operator issues
    nothing before they match. If a run is killed in between, the next continues it. The run asks the operator for its
    verdict again, also if an earlier run has asked about the same Secrets: the operator has refused the damaged Secrets
    since.
    """
    scope = observation.scope
    kept = content_of(scope, observation.secrets, step.backup)
    named = {
        StateSecrets.KEY: (scope.ca_key_secret,),
        StateSecrets.CERTIFICATE: (scope.ca_certificate_secret,),
        StateSecrets.LEDGER: ledger_parts({name: as_secret(name, data) for name, data in kept.items()}, scope),
    }
    wanted = ((part, name) for part, names in named.items() if part in step.damaged for name in names if name in kept)
    restored = tuple(_restore(part, name, kept[name], observation) for part, name in wanted)
    return (*restored, *_delete_damaged_parts(step, observation, kept), *forget_request(observation))


def _delete_damaged_parts(step: RestoreSecrets, observation: Observation, kept: Container[str]) -> Iterator[Write]:
    """Delete the damaged ledger's Secrets that the backup lacks, because the ledger has got another layout since: the
    next run would read them.
    """
    for name in ledger_parts(observation.secrets, observation.scope) if StateSecrets.LEDGER in step.damaged else ():
        if name not in kept:
            why = "the ledger is put back in another layout"
            yield Write(WriteVerb.DELETE, SECRETS, name, why, None, version(observation.secrets[name]), {}, {})


def _restore(part: StateSecrets, name: str, kept: Mapping[str, Any], observation: Observation) -> Write:
    """Restore a Secret, and keep its other entries. Only unreadable certificates are removed, and from a damaged ledger
    each entry of a ledger.
    """
    what, existing = f"put the {part.value} back from a backup", observation.secret(name)
    if existing is None:
        return Write(WriteVerb.CREATE, SECRETS, name, what, as_secret(name, kept), before={}, after={})
    data, marks = entries(kept), dict(kept["annotations"])
    if part is StateSecrets.CERTIFICATE:
        readable = {"ca.crt", *observation.snapshot.ca.other_entries}
        unread = {key: None for key in entries(existing) if key.endswith(".crt") and key not in readable}
        certificates = {key: value for key, value in data.items() if key.endswith(".crt")}
        return certificate_write(existing, name, {**unread, **certificates}, marks, what)
    is_ledger = part is StateSecrets.LEDGER
    gone = dict.fromkeys(filter(is_entry_of_ledger, entries(existing))) if is_ledger else {}
    patch = secret_patch({**gone, **data}, {**({LAYOUT: None} if is_ledger else {}), **marks})
    return Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(existing), {}, {})


def as_restored(observation: Observation) -> Observation:
    """The observation with the Secrets as a recovery would put them back: with their keys a plan issues the rest.
    Raises StepError.
    """
    scope, secrets = observation.scope, dict(observation.secrets)
    for step in find_restoration(observation.snapshot):
        kept = content_of(scope, secrets, step.backup)
        secrets |= {name: as_secret(name, data) for name, data in kept.items()}
    return replace(observation, secrets=secrets)


def delete_backups(observation: Observation) -> tuple[Write, ...]:
    """Delete the backups. The CA goes to the operator, or stays with its user: no private key of this collection's
    flows stays behind.
    """
    why = "this collection has nothing to do with the CA any more"
    return tuple(
        Write(WriteVerb.DELETE, SECRETS, name, why, None, version(observation.secrets[name]), {}, {})
        for name in observation.scope.backup_secrets if read_record(observation.secrets, name) is not None
    )  # fmt: skip
