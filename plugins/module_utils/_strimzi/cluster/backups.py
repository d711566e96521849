# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Backups of a CA as Secrets (docs/storage.md, "Backups").

``tls.crt`` and ``tls.key`` are the CA in use and its key, in the form of ``certificate_from``. ``tls.key`` is missing
if the key is kept elsewhere. ``secrets.json.gz`` has the CA Secrets and the ledger: name, type, labels, annotations of
Strimzi and of this collection, and data. The annotation ``trustops.strimzi/backup`` says in JSON when the backup was
made, and has the SHA-256 of its CA and of its content.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeAlias

from ..._errors import StepError
from ..._kube.resources import read_json
from ..._pki.certificates import encode_certificates
from ..._trust.model.ledger import Ledger
from ..._trust.model.snapshot import Backup, CaSecrets
from .. import names
from ..ledger.layouts import ledger_parts, read_ledger
from ..names import ClusterNames
from ..secret_data import annotation, entries
from .ca_secrets import KEY, TLS_CERTIFICATE, TLS_KEY, read_ca_secrets

Secrets: TypeAlias = Mapping[str, Mapping[str, Any]]

CONTENT = "secrets.json.gz"
#: The entries of a backup. Another program may put entries of its own beside them.
OWN_ENTRIES = (TLS_CERTIFICATE, TLS_KEY, CONTENT)
_TIME = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True)
class BackupRecord:
    """The annotation of a backup."""

    #: The name of the Secret with the backup.
    name: str
    #: When the backup was made.
    kept_at: datetime
    #: SHA-256 of the CA in use.
    authority: str
    #: SHA-256 of the content.
    digest: str


def secrets_to_keep(secrets: Secrets, scope: ClusterNames) -> dict[str, dict[str, Any]]:
    """The CA Secrets and the ledger as a backup contains them, by name."""
    kept = (scope.ca_key_secret, scope.ca_certificate_secret, *ledger_parts(secrets, scope))
    return {name: _content_to_keep(secrets[name]) for name in kept if name in secrets}


def _content_to_keep(secret: Mapping[str, Any]) -> dict[str, Any]:
    metadata = secret["metadata"]
    marks = (metadata.get("annotations") or {}).items()
    own = {key: value for key, value in marks if key.partition("/")[0] in (names.DOMAIN, names.OWN_DOMAIN)}
    return {
        "type": secret.get("type") or "Opaque",
        "labels": dict(metadata.get("labels") or {}),
        "annotations": own,
        "data": dict(secret.get("data") or {}),
    }


def digest_of(kept: Mapping[str, Any]) -> str:
    return hashlib.sha256(_text(kept)).hexdigest()


def _text(kept: Mapping[str, Any]) -> bytes:
    return json.dumps(kept, sort_keys=True, separators=(",", ":")).encode("utf-8")


def encode_backup(kept: Mapping[str, Any], ca: CaSecrets) -> dict[str, bytes]:
    """The entries of a backup of these Secrets with this CA."""
    key = next((entries(secret).get(KEY) for secret in kept.values() if KEY in secret["data"]), None)
    is_here = key is not None and ca.current and ca.key == ca.current[0].public_key_sha256 and not ca.in_use_elsewhere
    return {
        TLS_CERTIFICATE: encode_certificates(ca.current),
        **({TLS_KEY: key} if key is not None and is_here else {}),
        CONTENT: gzip.compress(_text(kept), mtime=0),
    }


def encode_record(now: datetime, ca: CaSecrets, digest: str) -> dict[str, str]:
    """The annotation of a backup."""
    record = {"keptAt": now.strftime(_TIME), "authority": ca.current[0].sha256, "digest": digest}
    return {names.BACKUP: json.dumps(record, sort_keys=True)}


def read_record(secrets: Secrets, name: str) -> BackupRecord | None:
    """The record of the backup in this Secret; None if this collection has written none there."""
    try:
        record = read_json(annotation(secrets.get(name), names.BACKUP) or "")
        kept_at = datetime.strptime(f"{record['keptAt']}+0000", f"{_TIME}%z")
        return BackupRecord(name, kept_at, str(record["authority"]), str(record["digest"]))
    except (ValueError, TypeError, KeyError):
        return None


def unreadable_backups(secrets: Secrets, scope: ClusterNames) -> tuple[str, ...]:
    """The Secrets with the name of a backup and without a record of one: a backup with an edited annotation, or a
    Secret of another owner.
    """
    return tuple(name for name in scope.backup_secrets if name in secrets and read_record(secrets, name) is None)


def _content(secrets: Secrets, record: BackupRecord) -> bytes | None:
    """The content of a backup as text; None if it does not fit its digest, or does not have the form of a backup."""
    try:
        text = gzip.decompress(entries(secrets.get(record.name)).get(CONTENT, b""))
    except (OSError, EOFError, ValueError, zlib.error):
        return None
    return text if hashlib.sha256(text).hexdigest() == record.digest and _has_form_of_backup(text) else None


@lru_cache(maxsize=8)
def _has_form_of_backup(text: bytes) -> bool:
    """Whether the text has Secrets by name, as ``secrets_to_keep`` makes them."""
    kept = read_json(text)
    return isinstance(kept, dict) and all(map(_is_kept_secret, kept.values()))


def _is_kept_secret(value: Any) -> bool:
    match value:
        case {"type": str(), "labels": labels, "annotations": annotations, "data": data}:
            return all(map(_is_of_texts, (labels, annotations, data)))
    return False


def _is_of_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def is_whole(secrets: Secrets, record: BackupRecord, wanted: Mapping[str, bytes]) -> bool:
    """Whether the backup contains the entries of its run, and no other entry of a backup. The entries of a backup with
    this digest are ``wanted``. Their packed content may differ, because each release of zlib packs in its own way.
    """
    stored = entries(secrets.get(record.name))
    pair = (TLS_CERTIFICATE, TLS_KEY)
    return _content(secrets, record) is not None and all(stored.get(entry) == wanted.get(entry) for entry in pair)


def read_backups(secrets: Secrets, scope: ClusterNames) -> tuple[Backup, ...]:
    """The backups of the CA, the newest first, without edited backups."""
    records = filter(None, (read_record(secrets, name) for name in scope.backup_secrets))
    backups = []
    for record in sorted(records, key=lambda record: record.kept_at, reverse=True):
        text = _content(secrets, record)
        if text is not None:
            backups.append(
                Backup(record.name, f"Secret {scope.namespace}/{record.name}", record.kept_at, *_parse(text, scope))
            )
    return tuple(backups)


@lru_cache(maxsize=8)
def _parse(text: bytes, scope: ClusterNames) -> tuple[CaSecrets, Ledger | None]:
    """The CA Secrets and the ledger in the content of a backup. A call looks again before each pass, and most backups
    stay as they are, so each content is parsed once.
    """
    kept = {name: as_secret(name, secret) for name, secret in json.loads(text).items()}
    pair = kept.get(scope.ca_certificate_secret), kept.get(scope.ca_key_secret)
    return read_ca_secrets(*pair, scope.certificate_generation), read_ledger(kept, scope)


def as_secret(name: str, kept: Mapping[str, Any]) -> dict[str, Any]:
    """The Secret to create."""
    metadata = {"name": name, "labels": kept["labels"], "annotations": kept["annotations"]}
    return {"apiVersion": "v1", "kind": "Secret", "type": kept["type"], "metadata": metadata, "data": kept["data"]}


def content_of(scope: ClusterNames, secrets: Secrets, backup: Backup) -> dict[str, dict[str, Any]]:
    """The Secrets in this backup, by name. Raises StepError if it is gone or was edited."""
    record = read_record(secrets, backup.secret)
    text = _content(secrets, record) if record is not None and backup.secret in scope.backup_secrets else None
    if text is None:
        raise StepError(
            backup.name, "is not the backup any more that this run has read", "Run the recover playbook again."
        )
    kept: dict[str, dict[str, Any]] = json.loads(text)
    return kept
