# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A maintenance window is open here in the seconds in which it is open for the operator, by the library that the operator reads it with."""

from __future__ import annotations

import random
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import CronError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.maintenance_windows import (
    parse_cron,
)

from ..broker.jars import find_java
from ..tools.cluster.cache import cached, digest
from ..tools.cluster.java import resolve
from ..tools.cluster.versions import QUARTZ

POM = Path(__file__).parent / "pom.xml"
#: Of each kind of field, more than once: two years of days, each at its beginning or at another second.
EXPRESSIONS, DAYS = 400, 731
FIRST = datetime(2026, 1, 1, tzinfo=timezone.utc)
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


def one_of(chance: random.Random, lowest: int, highest: int) -> str:
    def some() -> int:
        return chance.randint(lowest, highest)

    step = chance.randint(1, highest)
    forms = ("*", some(), f"{some()},{some()}", f"{some()}-{some()}", f"*/{step}", f"{some()}/{step}", f"/{step}")
    return str(chance.choice([*forms, f"{some()}-{some()}/{step}", f",{some()},,{some()}"]))


def day_of_month(chance: random.Random) -> str:
    day, before = chance.randint(1, 31), chance.randint(0, 30)
    forms = ("L", f"L-{before}", "LW", f"L-{before}W", f"{day}W", "1W", "31W", f"15W,{day}", f"L,{day}", f"LW,{day}")
    return chance.choice([*forms, one_of(chance, 1, 31)])


def day_of_week(chance: random.Random) -> str:
    day, name, nth = chance.randint(1, 7), chance.choice(WEEKDAYS), chance.randint(1, 5)
    forms = (
        "L", f"{day}L", f"{name}L", f"{day}#{nth}", f"{name}#{nth}", f"{name}-{chance.choice(WEEKDAYS)}", f",{name}", f"{name},,TUE", f"{name}/2",
        f"{day}#{nth},{name}", f"{name},{day}#{nth}", f"L,{name}", f"{name}DAY",
    )  # fmt: skip
    return chance.choice([*forms, name, one_of(chance, 1, 7)])


def expression(chance: random.Random) -> str:
    days = chance.choice([(day_of_month(chance), "?"), ("?", day_of_week(chance))])
    month = chance.choice(["*", "*", "*", one_of(chance, 1, 12), "JAN", "FEB-APR", "DEC,FEB", "AUGUST/2"])
    second, minute = (chance.choice(["*", one_of(chance, 0, 59)]) for _field in range(2))
    year = chance.choice([(), ("*",), ("2026",), ("2026-2028",), ("2024/2",)])
    return " ".join((second, minute, chance.choice(["*", one_of(chance, 0, 23)]), days[0], month, days[1], *year))


def read_here(text: str, times: list[datetime]) -> str:
    try:
        read = parse_cron(text)
    except CronError:
        return "refused"
    return "".join("1" if read.is_satisfied(moment) else "0" for moment in times)


def test_each_expression_is_read_as_the_operator_reads_it() -> None:
    chance = random.Random(1)
    asked = [expression(chance) for _number in range(EXPRESSIONS)]
    times = [FIRST + timedelta(days=day, seconds=chance.choice((0, chance.randrange(86_400)))) for day in range(DAYS)]
    seconds = "\t".join(str(int(moment.timestamp())) for moment in times)
    jars = cached(
        f"quartz-{QUARTZ}-{digest(POM)}",
        lambda target: resolve(POM, "copy-dependencies", {"quartz.version": QUARTZ, "outputDirectory": target}),
        f"Quartz {QUARTZ}, by which the operator reads maintenance windows",
    )
    answers = subprocess.run(
        (find_java(), "-Xmx128m", "-XX:+UseSerialGC", "-cp", f"{jars}/*", Path(__file__).parent / "Windows.java"),
        input="".join(f"{text}\t{seconds}\n" for text in asked), capture_output=True, check=True, text=True,
    ).stdout.split()  # fmt: skip
    differ = {
        text: (here, there)
        for text, there in zip(asked, answers, strict=True)
        if (here := read_here(text, times)) != there
    }
    assert differ == {}
    assert 0 < answers.count("refused") < EXPRESSIONS / 5
    assert sum("1" in answer for answer in answers) > EXPRESSIONS / 4
