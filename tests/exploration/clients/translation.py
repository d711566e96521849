"""Between the small values of the model and what ``decide`` takes: users, programs and brokers as they are observed."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind, ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.user_certificate import (
    ClientsCa,
    SecretKind,
    UserCertificate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users import observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.readers import Key, Reader
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import TLS, User, Users
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    NamedSecret,
    Presenter,
    ReissuePause,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import ObjectNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaUsers,
    InPlaceObstacles,
    IssuedBy,
    Leaves,
    Nodes,
    OperatorPause,
    Pod,
    Reconciliation,
    Snapshot,
)

from ...tools.support.certificates import key, make
from ..authorities import NOW, accepts, certificate, fingerprints_of
from ..translation import ca_secrets, ledger_of
from .state import LIFE, Listed, Listeners, Program, Secrets, SeenUser

NAMES = ObjectNames(
    "Kafka", "certificate Secret", "key Secret", "ledger", "kafka", "demo", "clients CA", "clients-ca", "spec.clientsCa"
)
_NAMESPACE = "kafka"
SCOPE = ClusterNames(_NAMESPACE, "demo", CaKind.CLIENTS)
_HOUR = timedelta(hours=1)
_LIFE = LIFE * timedelta(days=1)
#: Listeners by their ports.
_FIRST_PORT = 9093


def name_of(user: int) -> str:
    """As presenters are named."""
    return f"KafkaUser {_NAMESPACE}/{user}"


def number_of_user(name: str) -> int:
    return int(name.rpartition("/")[2])


def now_at(age: int) -> datetime:
    """An issuer takes a day at the most with a certificate."""
    return NOW + age * timedelta(days=1)


def snapshot_of(seen: Secrets, listed: Listed) -> Snapshot:
    return Snapshot(
        names=NAMES,
        now=now_at(listed.age),
        ca=ca_secrets(seen.ca),
        ledger=ledger_of(seen.books),
        bundle=fingerprints_of(seen.bundle),
        nodes=Nodes(tuple(map(_broker, range(listed.brokers)))),
        leaves=Leaves(),
        reconciliation=Reconciliation(
            generated=seen.generated,
            pause=OperatorPause(seen.pause.asked, seen.pause.asked, seen.pause.asked and seen.pause.effective),
        ),
        users=CaUsers(
            presenters=_presenters(seen, listed),
            issued_by=IssuedBy.USER_OPERATOR,
            pause_reissue="" if listed.environment.keystores else "The User Operator makes no PKCS#12 files.",
            longest_life=_LIFE,
        ),
    )


def after_asking(seen: Secrets, listed: Listed, heard: tuple[Listeners | None, ...]) -> Snapshot:
    listeners = tuple(
        _listener(number, port, trusts, _asked_about(seen))
        for number, answered in enumerate(heard)
        for port, trusts in enumerate(answered or (), _FIRST_PORT)
    )
    in_place = InPlaceObstacles("" if listed.environment.reloadable else "the permission is missing.")
    return snapshot_of(seen, listed).with_nodes(listeners=listeners, in_place_obstacles=in_place)


def _asked_about(seen: Secrets) -> frozenset[int]:
    """Every CA that is trusted, about to be, or was."""
    books = seen.books
    return frozenset(one.authority for one in (*books.entries, *books.removed)) if books else seen.ca.projected


def _listener(number: int, port: int, trusts: frozenset[int], asked_about: frozenset[int]) -> ObservedListener:
    accepted = frozenset(one for one in asked_about if accepts(trusts, one))
    return ObservedListener(
        f"broker-{number}", str(number), port, None, fingerprints_of(accepted), fingerprints_of(asked_about - accepted),
        source="handshake",
    )  # fmt: skip


def _broker(number: int) -> Pod:
    return Pod(
        name=f"broker-{number}", uid=str(number), component=Component.KAFKA, generation=None, leaves=(), presents_stored=None,
        verifies_only=True,
    )  # fmt: skip


def _presenters(seen: Secrets, listed: Listed) -> tuple[Presenter, ...]:
    anchors = tuple(certificate(one) for one in sorted(seen.ca.projected))
    stored = b"" if seen.ca.current is None else certificate(seen.ca.current).pem
    users = (_user(number, user, seen) for number, user in enumerate(listed.users) if user is not None)
    readers: dict[Key, tuple[Reader, ...]] = {}
    for number, program in enumerate(listed.programs):
        secret = (_NAMESPACE, str(program.user))
        readers[secret] = (*readers.get(secret, ()), _reader(number, program))
    found = Users({}, _NAMESPACE, True, ClientsCa(anchors, stored), tuple(users), readers=readers)
    return observe._presenters(found, SCOPE, ca_secrets(seen.ca), ledger_of(seen.books), now_at(listed.age))


def _user(number: int, user: SeenUser, seen: Secrets) -> User:
    pause = ReissuePause.NONE
    if user.paused:
        pause = ReissuePause.OURS if user.confirmed else ReissuePause.ASKED
    return User(_NAMESPACE, str(number), TLS, str(number), True, pause, _certificate(number, user, seen))


@cache
def _leaf_of(born: int) -> Certificate:
    """A leaf of that age: the CA that has signed it stands beside it."""
    return make("user", key(0), ca=False, end=now_at(born) + _LIFE).certificate


def _certificate(number: int, user: SeenUser, seen: Secrets) -> UserCertificate:
    """As ``read_user_secret`` makes it of the Secret, and as the clients CA judges it."""
    secret, kind = NamedSecret(_NAMESPACE, str(number), "user.crt"), SecretKind.OF_USER
    if user.leaf is None:
        return UserCertificate(secret, kind, absence="the Secret does not exist")
    beside = None if user.beside is None else certificate(user.beside)
    is_current = user.beside is not None and user.beside == seen.ca.current
    if user.leaf < 0:
        return UserCertificate(secret, kind, changed_at=NOW, unreadable="it is empty")
    valid = accepts(seen.ca.projected, user.leaf)
    return UserCertificate(
        secret, kind, (_leaf_of(user.born),), changed_at=NOW, authority=certificate(user.leaf) if valid else None,
        refusal="" if valid else "it is of a stranger", ca_beside=beside, is_current=is_current,
    )  # fmt: skip


def _reader(number: int, program: Program) -> Reader:
    created = NOW + _HOUR if program.fresh else NOW - _HOUR
    pod: Any = {"metadata": {"name": str(number), "creationTimestamp": created.isoformat()}}
    return Reader(f"Pod kafka/program-{number}", (pod,), followed=program.followed)
