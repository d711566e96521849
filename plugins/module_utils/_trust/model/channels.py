# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The channels of a node's process, and the reach of a reload among them, by the version of Kafka (docs/operator.md,
"Where the reload ends"). This is the only place that knows it.

No answer of a running node shows what its Raft client or its agent has read: a Raft client accepts no connections, and
an agent accepts connections of the operator alone. So a call goes by the version, and by the behaviour of real nodes of
this version.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class Channel(Enum):
    """A part of a node's process that presents the node's certificate and verifies by the CA. The value is the noun for
    the parts of several nodes.
    """

    #: They serve connections, and handshakes show what each of them has read.
    LISTENERS = "listeners"
    #: It connects to the controllers: a controller's to vote, a broker's to follow.
    RAFT_CLIENT = "Raft clients"
    #: Strimzi's Kafka Agent. Only the operator connects to it.
    AGENT = "agents"


@dataclass(frozen=True)
class Reach:
    """The channels in a reload's reach from a version of Kafka on."""

    #: The first version, as its major and minor number.
    since: tuple[int, int]
    #: The channels that read the stored files again.
    channels: frozenset[Channel]
    #: Whether real nodes have shown it. Calls count on nothing from the sources of Kafka alone.
    is_seen: bool


#: In the order of the versions. Kafka 4.0 is the first version of Strimzi's ``v1`` resources.
REACHES = (
    Reach((4, 0), frozenset({Channel.LISTENERS}), is_seen=True),
    Reach((4, 5), frozenset({Channel.LISTENERS, Channel.RAFT_CLIENT}), is_seen=False),
)
#: A released version. Any other version, such as a candidate for a release, may lack features of the release.
_RELEASE = re.compile(r"(\d+)\.(\d+)\.\d+")


def reached_by_reload(version: str) -> frozenset[Channel]:
    """The channels that a reload reaches in a node of this version of Kafka, as far as calls count on it. The least of
    all versions if the version is unknown.
    """
    release = _RELEASE.fullmatch(version)
    numbers = (int(release[1]), int(release[2])) if release else REACHES[0].since
    reached = [reach.channels for reach in REACHES if reach.is_seen and reach.since <= numbers]
    return reached[-1] if reached else REACHES[0].channels


def name_channels(channels: frozenset[Channel]) -> str:
    """``Raft clients and agents``, for a sentence."""
    return " and ".join(channel.value for channel in Channel if channel in channels)
