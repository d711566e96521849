# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The presenters of certificates of the clients CA, and the CAs that each certificate may be of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.user_certificate import (
    ClientsCa,
    SecretKind,
    UserCertificate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.presenters import presenters_of
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.readers import Reader
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import User, Users
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    NamedSecret,
    Presenter,
    ReissuePause,
    Renewal,
    UserName,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaSecrets

from ....tools.support.certificates import NOW, YEAR, Entity, key, make
from ....tools.support.golden import GoldenFiles
from ..bench import Object, kafka, pem

OLD, NEW = make("clients-ca v0", key(0)), make("clients-ca v1", key(1))
RENEWED = make("clients-ca v0", key(0), end=NOW + 2 * YEAR)
LATE, EARLY = NOW, NOW - timedelta(days=1)


def leaf(common_name: str = "orders", organization: str | None = None, end: datetime = NOW + YEAR) -> Certificate:
    subject, begin = DistinguishedName(common_name, organization), NOW - YEAR / 2
    return sign_leaf(key(2).public_key, subject, (), NEW.certificate, NEW.key, not_before=begin, validity=end - begin)


ORDERS = NamedSecret("apps", "orders", "user.crt")
GOOD = UserCertificate(
    ORDERS, SecretKind.OF_USER, (leaf(),), changed_at=NOW, authority=NEW.certificate, ca_beside=NEW.certificate,
    is_current=True,
)  # fmt: skip
ABSENT = UserCertificate(ORDERS, SecretKind.OF_USER, absence="Secret apps/orders does not exist")


def ended(certificate: UserCertificate) -> UserCertificate:
    return replace(certificate, chain=(leaf(end=NOW),))


def opened(certificate: UserCertificate, problem: str) -> UserCertificate:
    """The certificate beside a PKCS#12 file with this problem."""
    return replace(certificate, needs_opening=True, opening_problem=problem)


def of(
    *users: User,
    readers: Sequence[Reader] = (),
    current: Entity = NEW,
    resource: Object | None = None,
    named: Sequence[UserCertificate] = (),
) -> tuple[Presenter, ...]:
    """The presenters of a cluster in which OLD was in use before; the readers are of each Secret."""
    clients_ca = ClientsCa((current.certificate,), pem(current))
    secrets = (*(user.secret_key for user in users), *(certificate.secret.key for certificate in named))
    read_by = dict.fromkeys(secrets, tuple(readers))
    found = Users(resource or kafka(), "apps", True, clients_ca, users, tuple(named), read_by)
    known = (OLD.certificate, NEW.certificate, RENEWED.certificate)
    used = (OLD.certificate.fingerprint, current.certificate.fingerprint)
    return presenters_of(found, CaSecrets(current=(current.certificate,)), known, used, NOW)


def user(certificate: UserCertificate | None = GOOD, kind: str = "tls") -> User:
    return User("apps", "orders", kind, "orders", True, ReissuePause.NONE, certificate)


def one(*users: User, **options: Any) -> Presenter:
    """The only presenter beside the User Operator."""
    _operator, found = of(*users, **options)
    return found


def names_of(*authorities: Entity) -> frozenset[str]:
    return frozenset(authority.certificate.fingerprint for authority in authorities)


def test_the_user_operator_issues_of_the_ca_in_use_at_any_time() -> None:
    (found,) = of()
    assert (found.name, found.authorities, found.is_outdated) == ("the User Operator", names_of(NEW), False)


def test_a_user() -> None:
    found = one(user())
    assert (found.name, found.authorities, found.is_outdated) == ("KafkaUser apps/orders", names_of(NEW), False)
    assert (found.evidence, found.user) == ("its Secret", UserName("apps", "orders"))


def test_a_user_at_which_no_user_operator_looks(golden: GoldenFiles) -> None:
    """It goes on presenting what it has, and nothing waits for it to be issued again."""
    found = one(replace(user(), namespace="kafka", watched=False))
    assert (found.authorities, found.renewal, found.secret) == (names_of(NEW), Renewal.BY_HAND, "")
    golden.compare_said("cluster", f"{found.hindrance}\n{found.remedy}")


def test_a_user_of_the_cluster_itself_at_which_no_user_operator_looks(golden: GoldenFiles) -> None:
    found = one(replace(user(), watched=False))
    golden.compare_said("cluster", f"{found.hindrance}\n{found.remedy}")


def test_a_user_of_another_ca_than_the_one_in_use_is_issued_again() -> None:
    found = one(user(replace(GOOD, authority=OLD.certificate, ca_beside=OLD.certificate, is_current=False)))
    assert (found.authorities, found.is_outdated) == (names_of(OLD), True)


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        (RENEWED.certificate, (RENEWED,)),
        (OLD.certificate, (OLD,)),
        (None, (OLD, RENEWED)),
        (NEW.certificate, (OLD, RENEWED)),
    ],
)
def test_of_two_certificates_with_one_key_what_lies_beside_it_counts(beside: Any, expected: tuple[Entity, ...]) -> None:
    found = one(user(replace(GOOD, authority=OLD.certificate, ca_beside=beside)))
    assert found.authorities == names_of(*expected)


@pytest.mark.parametrize(
    "certificate",
    [ABSENT, replace(ended(GOOD), authority=None)],
    ids=["none", "expired"],
)
def test_a_user_without_a_certificate_that_counts_presents_none(certificate: UserCertificate) -> None:
    found = one(user(certificate))
    assert (found.authorities, found.is_outdated) == (frozenset(), not certificate.is_current)


@pytest.mark.parametrize(
    "certificate",
    [replace(GOOD, authority=None, refusal="of a stranger"), replace(GOOD, key_beside="another")],
    ids=["another CA", "another key"],
)
def test_a_certificate_that_does_not_fit_is_not_known(certificate: UserCertificate) -> None:
    found = one(user(certificate))
    assert (found.authorities, found.evidence) == (None, f"its Secret: {certificate.problem}")


def test_a_program_that_reads_a_stale_keystore_may_present_any_certificate(golden: GoldenFiles) -> None:
    found = one(user(opened(GOOD, "its user.p12 contains another certificate than its user.crt")))
    assert (found.authorities, found.is_outdated) == (names_of(OLD, NEW), False)
    golden.compare_said("cluster", f"{found.evidence}\n{found.remedy}")


@pytest.mark.parametrize("kind", ["scram-sha-512", ""])
def test_users_without_tls_present_no_certificate(kind: str) -> None:
    assert len(of(user(None, kind))) == 1


def test_a_user_whose_certificates_another_issuer_issues(golden: GoldenFiles) -> None:
    found = one(user(None, "tls-external"))
    assert found.authorities is None
    golden.compare_said("cluster", f"{found.evidence}\n{found.remedy}")


def named(certificate: UserCertificate, entry: str = "tls.crt") -> UserCertificate:
    return replace(certificate, secret=NamedSecret("elsewhere", "partner", entry), kind=SecretKind.NAMED)


OF_OLD = replace(GOOD, authority=OLD.certificate, ca_beside=NEW.certificate)
WHERE = "Secret elsewhere/partner entry tls.crt"


class TestNamedSecrets:
    """Secrets of users for whom the User Operator issues nothing, and copies."""

    @pytest.mark.parametrize(("certificate", "authorities"), [(GOOD, [NEW]), (OF_OLD, [OLD, RENEWED])])
    def test_a_named_secret_with_the_subject_of_a_user_belongs_to_that_user(
        self, certificate: UserCertificate, authorities: Sequence[Entity], golden: GoldenFiles
    ) -> None:
        found = one(user(None, "tls-external"), named=[named(certificate)])
        assert (found.name, found.authorities, found.evidence) == (
            "KafkaUser apps/orders",
            names_of(*authorities),
            WHERE,
        )
        assert (found.renewal, found.is_outdated) == (Renewal.BY_HAND, False)
        golden.compare_said("cluster", found.remedy)

    def test_a_superuser_by_name_is_known_by_it_too(self) -> None:
        resource = kafka(kafka={"authorization": {"type": "simple", "superUsers": ["CN=admin,O=us"]}})
        own = replace(GOOD, chain=(leaf("admin", "us"),))
        assert one(resource=resource, named=[named(own)]).name == "superuser CN=admin,O=us"
        assert one(resource=resource, named=[named(own)]).authorities == names_of(NEW)

    def test_all_secrets_of_a_user_count(self, golden: GoldenFiles) -> None:
        both = [named(GOOD), named(OF_OLD, entry="old.crt")]
        found = one(user(None, "tls-external"), named=both)
        assert found.authorities == names_of(OLD, RENEWED, NEW)
        both[1] = named(replace(OF_OLD, authority=None, refusal="of a stranger"), entry="old.crt")
        found = one(user(None, "tls-external"), named=both)
        assert found.authorities is None
        golden.compare_said("cluster", found.evidence)

    @pytest.mark.parametrize("users", [(), (user(None, "tls-external"),)], ids=["copy", "user"])
    def test_a_stale_keystore_beside_it_may_hold_any_certificate(
        self, users: Sequence[User], golden: GoldenFiles
    ) -> None:
        stale = opened(GOOD, "its user.p12 contains another certificate than its user.crt")
        found = one(*users, named=[named(stale, entry="user.crt")])
        assert found.authorities == names_of(OLD, NEW)
        golden.compare_said("cluster", found.evidence, golden.row)

    def test_a_user_with_ended_certificates_alone_presents_an_unknown_certificate(self) -> None:
        """It logs in with another certificate, or not at all."""
        former = [named(ended(GOOD))]
        found = one(user(None, "tls-external"), named=former)
        assert (found.authorities, found.evidence) == (None, f"the certificate in {WHERE} has expired")
        found = one(user(None, "tls-external"), named=[*former, named(OF_OLD, entry="old.crt")])
        assert found.authorities == names_of(OLD, RENEWED)

    def test_a_named_secret_of_another_subject_does_not_count_for_a_user(self) -> None:
        _operator, stranger, secret = of(
            user(None, "tls-external"), named=[named(replace(GOOD, chain=(leaf("other"),)))]
        )
        assert (stranger.authorities, secret.authorities) == (None, names_of(NEW))

    def test_a_copy_of_a_users_certificate_is_told_of_as_a_secret(self, golden: GoldenFiles) -> None:
        _operator, own, copy = of(user(), named=[named(OF_OLD)])
        assert own.authorities == names_of(NEW)
        assert (copy.name, copy.authorities, copy.evidence) == (WHERE, names_of(OLD, RENEWED), "its content")
        golden.compare_said("cluster", copy.remedy)

    def test_a_certificate_that_has_expired_is_not_presented(self) -> None:
        assert one(named=[named(ended(OF_OLD))]).authorities == frozenset()

    def test_a_named_secret_that_cannot_be_read_is_not_known(self, golden: GoldenFiles) -> None:
        found = one(named=[named(replace(ABSENT, absence="it does not exist", remedy="Grant it."))])
        assert found.authorities is None
        golden.compare_said("cluster", f"{found.evidence}\n{found.remedy}")

    def test_a_certificate_whose_ca_was_renewed_with_its_key_is_one_of_the_ca_in_use(self) -> None:
        """This collection does not issue it again, and brokers accept it under either CA."""
        found = one(current=RENEWED, named=[named(replace(OF_OLD, ca_beside=RENEWED.certificate))])
        assert found.authorities == names_of(RENEWED)

    def reader(self, certificate: UserCertificate, created: datetime, *, followed: bool) -> Presenter:
        pods = ({"metadata": {"creationTimestamp": created.isoformat()}},)
        reader = Reader("Pod elsewhere/a", pods, followed=followed)
        *_others, found = of(named=[named(certificate)], readers=[reader])
        return found

    @pytest.mark.parametrize(("created", "expected"), [(LATE, (NEW,)), (EARLY, (OLD, NEW))])
    def test_the_readers_of_a_named_secret(self, created: datetime, expected: tuple[Entity, ...]) -> None:
        found = self.reader(GOOD, created, followed=False)
        assert (found.name, found.authorities, found.renewal) == (
            "Pod elsewhere/a", names_of(*expected), Renewal.BY_HAND,
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("certificate", "created", "renewal"),
        [(GOOD, EARLY, Renewal.FOLLOWED), (GOOD, LATE, Renewal.BY_HAND), (OF_OLD, EARLY, Renewal.BY_HAND)],
        ids=["changed, not restarted", "restarted", "not changed"],
    )
    def test_a_reader_that_the_operator_restarts_is_waited_for_when_the_secret_has_changed(
        self, certificate: UserCertificate, created: datetime, renewal: Renewal
    ) -> None:
        assert self.reader(certificate, created, followed=True).renewal is renewal


#: A copy of another certificate than the user has.
ANOTHER = replace(GOOD, kind=SecretKind.COPY, chain=(leaf("before"),))


class TestReaders:
    def reader(self, *created: str, **fields: Any) -> Presenter:
        pods = tuple({"metadata": {"creationTimestamp": moment}} for moment in created)
        _operator, _user, found = of(user(GOOD), readers=[Reader("Pod apps/a", pods, **fields)])
        return found

    def test_a_reader_that_has_started_since(self) -> None:
        found = self.reader(NOW.isoformat())
        assert (found.name, found.authorities, found.renewal) == ("Pod apps/a", names_of(NEW), Renewal.BY_HAND)

    def test_a_reader_that_has_not_started_since_may_have_read_any_certificate(self, golden: GoldenFiles) -> None:
        found = self.reader((NOW - timedelta(days=1)).isoformat())
        assert found.authorities == names_of(OLD, NEW)
        golden.compare_said("cluster", f"{found.evidence}\n{found.remedy}")

    def test_a_ca_that_was_renewed_with_its_key_validates_whatever_it_has_read(self) -> None:
        reader = Reader("Pod apps/a", ({"metadata": {"creationTimestamp": EARLY.isoformat()}},))
        _operator, _user, found = of(user(GOOD), readers=[reader], current=RENEWED)
        assert found.authorities == names_of(RENEWED)

    @pytest.mark.parametrize(
        ("doubt", "expected"), [("", ()), ("its user.p12 does not open", (NEW,))], ids=["certificate", "keystore"]
    )
    def test_a_reader_of_a_certificate_that_has_ended_presents_none(
        self, doubt: str, expected: tuple[Entity, ...]
    ) -> None:
        """Brokers refuse it, whichever CA they trust; what is in a keystore may be another certificate."""
        certificate = opened(ended(GOOD), doubt)
        _operator, _user, found = of(user(certificate), readers=[Reader("Pod apps/a", ())])
        assert found.authorities == names_of(*expected)

    def test_a_copy_that_is_behind(self, golden: GoldenFiles) -> None:
        """A KafkaAccess has no process that could restart; its operator copies for it."""
        reader = Reader("KafkaAccess apps/a", None, ANOTHER, followed=True)
        _operator, _user, found = of(user(GOOD), readers=[reader])
        assert (found.authorities, found.renewal) == (names_of(OLD, NEW), Renewal.FOLLOWED)
        golden.compare_said("cluster", found.remedy)

    def test_a_reader_that_the_operator_restarts(self, golden: GoldenFiles) -> None:
        found = self.reader((NOW - timedelta(days=1)).isoformat(), followed=True)
        assert found.renewal is Renewal.FOLLOWED
        golden.compare_said("cluster", found.remedy)

    def test_a_reader_of_which_nothing_is_known(self, golden: GoldenFiles) -> None:
        _operator, _user, found = of(user(GOOD), readers=[Reader("KafkaAccess apps/a", None)])
        assert found.authorities is None
        golden.compare_said("cluster", found.evidence)


class TestTheEndOfWhatReadersHaveRead:
    """It is known of those that have read what the cluster's own User Operator has written."""

    FRESH = Reader("Pod apps/a", ({"metadata": {"creationTimestamp": LATE.isoformat()}},))
    BEHIND = Reader("Pod apps/a", ({"metadata": {"creationTimestamp": EARLY.isoformat()}},))

    @pytest.mark.parametrize(
        ("reader", "certificate", "end"),
        [
            (FRESH, GOOD, GOOD.not_after),
            (BEHIND, GOOD, None),
            (FRESH, opened(GOOD, "its user.p12 does not open"), None),
            (FRESH, replace(GOOD, changed_at=None), None),
            (Reader("KafkaAccess apps/a", None, replace(GOOD, kind=SecretKind.COPY)), GOOD, GOOD.not_after),
            (Reader("KafkaAccess apps/a", None, ANOTHER), GOOD, None),
        ],
        ids=["read", "not read", "another one in the keystore", "not told when it changed", "copied", "not copied"],
    )
    def test_the_end_that_a_reader_has_read_is_that_of_the_certificate_in_the_secret(
        self, reader: Reader, certificate: UserCertificate, end: datetime | None
    ) -> None:
        _operator, own, found = of(user(certificate), readers=[reader])
        assert (found.certificate_source, found.ends_at) == (f"{reader.name} orders", end)
        assert (own.certificate_source, own.ends_at) == ("", None)

    def test_another_user_operator_may_issue_for_longer(self) -> None:
        _operator, _user, found = of(replace(user(), namespace="team"), readers=[self.FRESH])
        assert found.certificate_source == ""

    def test_a_person_may_put_anything_into_a_named_secret(self) -> None:
        *_others, found = of(named=[named(GOOD)], readers=[self.FRESH])
        assert (found.name, found.certificate_source) == ("Pod apps/a", "")


@pytest.mark.parametrize(
    ("superusers", "unknown"),
    [
        (["CN=orders", "CN=admin"], ["superuser CN=admin"]),
        (["O=Acme,CN=admin", "OU=ops,CN=b"], ["superuser O=Acme,CN=admin", "superuser OU=ops,CN=b"]),
        (["1.2.840.113549.1.9.1=#1603612e62,CN=orders"], ["superuser 1.2.840.113549.1.9.1=#1603612e62,CN=orders"]),
        (["admin", "ANONYMOUS"], []),
        (None, []),
    ],
)
def test_superusers_whose_certificates_were_signed_by_hand(superusers: Any, unknown: list[str]) -> None:
    resource = kafka(kafka={"authorization": {"type": "simple", "superUsers": superusers}})
    found = [one for one in of(user(), resource=resource) if one.authorities is None]
    assert [one.name for one in found] == unknown


def test_a_superuser_by_a_certificate_is_none_of_the_users_that_log_in_by_password() -> None:
    """Kafka knows that user by its name alone."""
    resource = kafka(kafka={"authorization": {"type": "simple", "superUsers": ["CN=orders"]}})
    assert one(user(None, "scram-sha-512"), resource=resource).name == "superuser CN=orders"


@pytest.mark.parametrize(
    ("hindrance", "ready", "pause"),
    [
        ("", True, ReissuePause.NONE),
        ("", True, ReissuePause.OURS),
        ("a pause", True, ReissuePause.FOREIGN),
        ("not ready", False, ReissuePause.NONE),
    ],
)
def test_a_user_that_would_get_no_other_certificate(
    hindrance: str, ready: bool, pause: ReissuePause, golden: GoldenFiles
) -> None:
    found = one(replace(user(), ready=ready, pause=pause))
    assert (bool(found.hindrance), found.pause) == (bool(hindrance), pause)
    if hindrance:
        golden.compare_said("cluster", found.hindrance, hindrance)


@pytest.mark.parametrize(
    ("certificate", "pause"),
    [(replace(OF_OLD, is_current=False), ReissuePause.FOREIGN), (replace(GOOD, is_current=True), ReissuePause.NONE)],
    ids=["not issued again", "issued again"],
)
def test_readers_of_a_user_that_another_program_has_paused(certificate: UserCertificate, pause: ReissuePause) -> None:
    """They have something to take up only where it was issued again before the pause."""
    reader = Reader("KafkaConnect apps/connect", (), followed=True)
    _operator, _user, found = of(replace(user(certificate), pause=ReissuePause.FOREIGN), readers=[reader])
    assert (found.name, found.pause) == ("KafkaConnect apps/connect", pause)


def test_the_remedy_for_a_pause_of_another_program_is_its_end(golden: GoldenFiles) -> None:
    found = one(replace(user(), pause=ReissuePause.FOREIGN))
    golden.compare_said("cluster", found.remedy)


@pytest.mark.parametrize(
    ("kind", "pause", "names"),
    [
        ("scram-sha-512", ReissuePause.OURS, ["KafkaUser apps/orders"]),
        ("", ReissuePause.ASKED, ["KafkaUser apps/orders"]),
        ("scram-sha-512", ReissuePause.FOREIGN, []),
        ("scram-sha-512", ReissuePause.NONE, []),
    ],
)
def test_a_user_that_got_another_authentication_is_told_of_while_it_is_paused_by_us(
    kind: str, pause: ReissuePause, names: list[str]
) -> None:
    _operator, *found = of(replace(user(None, kind), pause=pause))
    assert [(one.name, one.authorities, one.pause) for one in found] == [(name, frozenset(), pause) for name in names]
