"""The clients CA of a cluster as small values: brokers that verify, users and programs that present.

A CA is its number in ``authorities.py``; a broker's UID is its number.
"""

from __future__ import annotations

from typing import NamedTuple

from ..state import Authorities, Books, Pause, Run, WithRuns

#: In the place of a CA: a certificate that is no certificate, as the User Operator stores it where nothing could be signed.
EMPTY = -1


class Work(NamedTuple):
    """The User Operator at work on one user: what it has read of ``ca.crt``, and then of ``ca.key``; it does not read them at once."""

    certificate: int
    key: int | None = None
    #: The age of the model at its beginning.
    begun: int = 0


class User(NamedTuple):
    """A KafkaUser with its Secret."""

    #: The CA of its certificate; None where there is no Secret.
    leaf: int | None = None
    #: The CA in its ``ca.crt``.
    beside: int | None = None
    #: Whether this collection has paused the user.
    paused: bool = False
    #: Whether the User Operator has seen that.
    noticed: bool = False
    #: Its status says that it is paused, or did when the User Operator looked last.
    confirmed: bool = False
    work: Work | None = None
    #: The age of the model when its certificate was issued.
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
    #: The user whose certificate it has read.
    user: int
    #: The CA of that certificate.
    presents: int
    #: Nothing has been issued to the user since.
    fresh: bool = True
    #: The operator restarts it when something is issued.
    followed: bool = False
    #: The age of the model at its beginning, as that of the user.
    born: int = 0


class Secrets(NamedTuple):
    """The objects that a run reads first."""

    ca: Authorities
    bundle: frozenset[int]
    books: Books | None
    pause: Pause
    generated: bool


class Environment(NamedTuple):
    """Facts that never change in one exploration."""

    #: Whether the User Operator makes PKCS#12 files.
    keystores: bool = True
    #: Whether brokers can be told to read again.
    reloadable: bool = True
    #: Whether a user may be due for a new certificate at any moment.
    expiring: bool = False
    #: Whether time passes after the switch, until all certificates of the old CA have ended.
    aging: bool = False
    #: Whether programs ever read again.
    reading: bool = True


class Listed(NamedTuple):
    """The objects that a run reads after the Secrets."""

    #: The number of brokers.
    brokers: int
    users: tuple[SeenUser | None, ...]
    programs: tuple[Program, ...]
    environment: Environment
    #: The age of the model.
    age: int = 0


#: So many ages a certificate lives.
LIFE = 2


def is_valid(born: int, age: int) -> bool:
    return age < born + LIFE


#: The CAs that each listener of a broker accepts.
Listeners = tuple[frozenset[int], ...]


class _Users(NamedTuple):
    brokers: tuple[Listeners, ...]
    #: None for a user that does not exist, yet or any more.
    users: tuple[User | None, ...]
    programs: tuple[Program, ...]
    ca: Authorities
    bundle: frozenset[int]
    books: Books | None
    pause: Pause
    #: Whether the Cluster Operator has seen that it is paused.
    noticed: bool
    generated: bool
    #: The CAs in the certificate Secret as the Cluster Operator has read them in the reconcile that it is in.
    view: frozenset[int] | None
    runs: tuple[Run, ...]
    environment: Environment
    #: Whether a person wants the flow undone; None: not any more.
    aborting: bool | None = False
    #: The time that has passed, in the longest times that an issuer takes with one certificate.
    age: int = 0


class ModelUsers(_Users, WithRuns):
    __slots__ = ()

    @property
    def secrets(self) -> Secrets:
        return Secrets(self.ca, self.bundle, self.books, self.pause, self.generated)

    @property
    def listed(self) -> Listed:
        users = (one and SeenUser(one.leaf, one.beside, one.paused, one.confirmed, one.born) for one in self.users)
        return Listed(len(self.brokers), tuple(users), self.programs, self.environment, self.age)

    @property
    def presented(self) -> frozenset[int]:
        """The CAs of all certificates that a program presents, or may read and present at any moment."""
        stored = (one for one in self.users if one is not None and one.has_certificate)
        leaves = {one.leaf for one in stored if is_valid(one.born, self.age)}
        read = {one.presents for one in self.programs if is_valid(one.born, self.age)}
        return frozenset({*leaves, *read})  # type: ignore[arg-type]

    def with_user(self, number: int, user: User | None) -> ModelUsers:
        return self._replace(users=(*self.users[:number], user, *self.users[number + 1 :]))

    def with_broker(self, number: int, listeners: Listeners) -> ModelUsers:
        return self._replace(brokers=(*self.brokers[:number], listeners, *self.brokers[number + 1 :]))

    def with_program(self, number: int, program: Program) -> ModelUsers:
        return self._replace(programs=(*self.programs[:number], program, *self.programs[number + 1 :]))
