# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections of the golden files that the tests of flows compare, each in the state that it is about."""

from __future__ import annotations

from pathlib import Path

from ..tools.support.golden import GoldenFiles

SECTIONS = (
    "not_paused_by_others, a flow on the cluster CA",
    "not_paused_by_others, a flow on the clients CA",
    "operator_keeps_authority, clients CA",
    "operator_keeps_authority, renew-certificate",
    "operator_keeps_authority, replace-key",
    "flow_can_be_undone, processes are about to forget the CA",
    "flow_can_be_undone, the key is lost",
    "verifiers_are_known, the operator has yet to look",
    "presenters_can_be_issued_to, a Secret of another program",
    "presenters_can_be_issued_to, the Secret of another user",
    "presenters_can_be_issued_to, more users than have room",
    "presenters_are_known, tls-external",
    "presenters_are_known, a named Secret, tls.crt",
    "presenters_are_known, a named Secret, other.crt",
    "presenters_are_served, a paused user",
    "presenters_are_served, no User Operator looks there",
    "leaves_are_ours, the operator lacks its own",
    "leaves_are_ours, the operator lacks its own behind a link",
    "leaves_can_be_renewed, a client holds the flow",
    "renewal_comes_in_time, the flow stops for an approval",
    "renewal_comes_in_time, the key is kept elsewhere, renew-certificate",
    "renewal_comes_in_time, the key is kept elsewhere, replace-key",
    "removal, a program has a certificate",
    "removal, a program has not read its certificate again",
    "removal, a program has not read a named Secret again",
    "removal, the Secret of a user that is gone",
    "removal, the Secret of a user that was moved",
    "removal, a user that another program has paused",
    "removal, an old keystore beside a new certificate",
)


def test_the_golden_file_has_no_other_section(golden: GoldenFiles) -> None:
    golden.compare_names("stops_in_flows", SECTIONS)


def test_each_section_is_of_a_test_of_flows(golden: GoldenFiles) -> None:
    golden.compare_tests("flows", Path(__file__).parent)
