"""The clients CA of a cluster as small values: brokers that verify, users and programs that present.

A CA is its number in ``authorities.py``; a broker's UID is its number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from ..state import Authorities, Books, Pause, Run, WithRuns

#: In the place of a CA: a certificate that is no certificate, as the User Operator stores it where nothing could be signed.
EMPTY = -1


class Work(NamedTuple):
    """The User Operator at work on one user: what it has read of ``ca.crt``, and then of ``ca.key``; it does not read them at once. begun: at which
    age of the model.
    """

    certificate: int
    key: int | None = None
    begun: int = 0


class User(NamedTuple):
    """A KafkaUser with its Secret.

    leaf: the CA of its certificate; None where there is no Secret. beside: the CA in its ``ca.crt``. paused: by this collection. noticed: what
    the User Operator has seen of that. confirmed: its status says that it is paused, or did when the User Operator looked last. born: the age of
    the model when its certificate was issued.
    """

    leaf: int | None = None
    beside: int | None = None
    paused: bool = False
    noticed: bool = False
    confirmed: bool = False
    work: Work | None = None
    born: int = 0

    @property
    def has_certificate(self) -> bool:
        return self.leaf not in (None, EMPTY)


class SeenUser(NamedTuple):
    """The part of a user that a run can read."""

    leaf: int | None
    beside: int | None
    paused: bool
    confirmed: bool
    born: int = 0


class Program(NamedTuple):
    """user: the user whose certificate it has read. presents: the CA of that certificate. fresh: nothing has been issued to the user since.
    followed: the operator restarts it when something is issued. born: as of that user.
    """

    user: int
    presents: int
    fresh: bool = True
    followed: bool = False
    born: int = 0


class Secrets(NamedTuple):
    """The objects that a run reads first."""

    ca: Authorities
    bundle: frozenset[int]
    books: Books | None
    pause: Pause
    generated: bool


class Environment(NamedTuple):
    """Facts that never change in one exploration. keystores: whether the User Operator makes PKCS#12 files. reloadable: whether brokers can be told
    to read again. expiring: whether a user may be due for a new certificate at any moment. aging: whether time passes after the switch, until all
    certificates of the old CA have ended. reading: whether programs ever read again.
    """

    keystores: bool = True
    reloadable: bool = True
    expiring: bool = False
    aging: bool = False
    reading: bool = True


class Listed(NamedTuple):
    """The objects that a run reads after the Secrets. brokers: how many there are. age: of the model."""

    brokers: int
    users: tuple[SeenUser | None, ...]
    programs: tuple[Program, ...]
    environment: Environment
    age: int = 0


#: So many ages a certificate lives.
LIFE = 2


def is_valid(born: int, age: int) -> bool:
    return age < born + LIFE


#: The CAs that each listener of a broker accepts.
Listeners = tuple[frozenset[int], ...]


@dataclass(frozen=True)
class ModelUsers(WithRuns):
    """users: None for a user that does not exist, yet or any more. noticed: whether the Cluster Operator has seen that it is paused. view: the CAs
    in the certificate Secret as the Cluster Operator has read them in the reconcile that it is in. aborting: somebody wants the flow undone; None:
    no more. age: the time that has passed, in the longest times that an issuer takes with one certificate.
    """

    brokers: tuple[Listeners, ...]
    users: tuple[User | None, ...]
    programs: tuple[Program, ...]
    ca: Authorities
    bundle: frozenset[int]
    books: Books | None
    pause: Pause
    noticed: bool
    generated: bool
    view: frozenset[int] | None
    runs: tuple[Run, ...]
    environment: Environment
    aborting: bool | None = False
    age: int = 0

    @property
    def secrets(self) -> Secrets:
        return Secrets(self.ca, self.bundle, self.books, self.pause, self.generated)

    @property
    def listed(self) -> Listed:
        users = (one and SeenUser(one.leaf, one.beside, one.paused, one.confirmed, one.born) for one in self.users)
        return Listed(len(self.brokers), tuple(users), self.programs, self.environment, self.age)

    @property
    def presented(self) -> frozenset[int]:
        """The CAs of all certificates that somebody presents, or may read and present at any moment."""
        stored = (one for one in self.users if one is not None and one.has_certificate)
        leaves = {one.leaf for one in stored if is_valid(one.born, self.age)}
        read = {one.presents for one in self.programs if is_valid(one.born, self.age)}
        return frozenset({*leaves, *read})  # type: ignore[arg-type]

    def with_user(self, number: int, user: User | None) -> ModelUsers:
        return replace(self, users=(*self.users[:number], user, *self.users[number + 1 :]))

    def with_broker(self, number: int, listeners: Listeners) -> ModelUsers:
        return replace(self, brokers=(*self.brokers[:number], listeners, *self.brokers[number + 1 :]))

    def with_program(self, number: int, program: Program) -> ModelUsers:
        return replace(self, programs=(*self.programs[:number], program, *self.programs[number + 1 :]))
