# Every target does its own set-up. What is made is kept outside the work tree, in
# $TRUSTOPS_CACHE or ~/.cache/trustops-strimzi; logs of `make test` are in build/checks/.
PYTHON ?= python3
CHECK := $(PYTHON) -m tests.tools.checks

.DEFAULT_GOAL := help
.PHONY: help
help: ## say which targets there are
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: ## every check, some side by side
	@$(CHECK)

# The kills, faults and explorations that `make test` leaves out take a day of two cores, the long API tests hours: each day of the year has a
# part of them.
PART ?= $(shell expr $$(date +%j) % 24 + 1)/24
API_PART ?= $(shell expr $$(date +%j) % 4 + 1)/4

.PHONY: test-long
test-long: ## what `make test` has no time for: pylint, a part of the other kills and explorations (PART=3/24, API_PART=1/4), playbooks and logins on real nodes; hours, as root
	@echo "kills, faults and explorations: part $(PART), API tests: part $(API_PART)"
	@$(CHECK) --exec pytest tests/faults -m "" --each --part=$(PART) --numprocesses=2 --timeout=7200
	@HYPOTHESIS_PROFILE=search $(CHECK) --exec pytest tests/unit -m hypothesis --numprocesses=2
	@$(CHECK) --exec pytest tests/exploration tests/flows tests/roles tests/unit -m long --part=$(PART) --numprocesses=2 --timeout=3600
	@$(CHECK) --bed any --exec pytest tests/api -m long --part=$(API_PART) --numprocesses=2 --dist=loadfile --timeout=1800
	@$(CHECK) --long
	@$(CHECK) --bed real --exec pytest tests/kafka tests/broker -m long --timeout=1800

.PHONY: mutation
mutation: ## small mistakes in _trust and _pki, each of which a unit test has to notice: FILE=... or PART=3/24 in minutes, everything in hours
	@$(CHECK) --exec python -m tests.tools.mutation $(if $(filter-out file,$(origin PART)),--part=$(PART)) $(FILE)

.PHONY: setup
setup: ## make the environments of the checks
	@$(CHECK) --setup

.PHONY: pins
pins: ## make the lock files of tests/tools/requirements from what they say we want
	@$(PYTHON) -m tests.tools.checks.pins

.PHONY: unit
unit: ## unit and property tests
	@$(CHECK) unit

.PHONY: coverage
coverage: ## which share of plugins/ the unit tests run, lines and branches; minutes
	@$(CHECK) --exec pytest tests/unit --numprocesses=2 --cov --cov-report=term

.PHONY: modules
modules: ## modules by their real main(), filters, templates
	@$(CHECK) modules

.PHONY: api
api: ## tests against a real Kubernetes API, on the test bed
	@$(CHECK) bed api

.PHONY: issuers
issuers: ## tests of issuers against the real cert-manager, on the test bed
	@$(CHECK) bed issuers

.PHONY: lint
lint: ## style, types, layers, YAML, shell, changelog, documentation and what it cites, ansible-lint
	@$(CHECK) style types layers yaml shell changelog action-group documents citations wording readings architecture docs ansible-lint ee

.PHONY: format
format: ## let ruff put the Python files in shape
	@$(CHECK) --exec ruff check --fix
	@$(CHECK) --exec ruff format

.PHONY: documents
documents: ## write documentation that several files share, from its tables
	@$(CHECK) --exec python -m tests.tools.documents --write

.PHONY: site
site: ## the documentation site, in build/site
	@$(CHECK) site

.PHONY: sanity
sanity: ## all ansible-test sanity tests
	@$(CHECK) sanity sanity-slow

.PHONY: importer
importer: ## galaxy-importer on the built collection
	@$(CHECK) importer

.PHONY: molecule
molecule: ## Molecule, scenario default, on the test bed
	@$(CHECK) bed molecule

.PHONY: molecule-given
molecule-given: ## Molecule, scenario given, on the cluster of KUBECONFIG or on the test bed
	@$(CHECK) bed molecule-given

.PHONY: molecule-kind
molecule-kind: ## Molecule, scenario kind, with the real operator; needs Docker
	@$(CHECK) molecule-kind

.PHONY: molecule-kafka
molecule-kafka: ## Molecule, scenario kafka, with real Kafka nodes; as root
	@$(CHECK) nodes molecule-kafka

.PHONY: demo
demo: ## a cluster, with real Kafka nodes where they can run, and a rotation of its CA to watch
	@$(CHECK) --demo --bed any --exec python -m tests.tools.demo

.PHONY: demo-cert-manager
demo-cert-manager: ## the same, to a CA whose key cert-manager keeps; its controllers are built once
	@$(CHECK) --demo --bed any --exec python -m tests.tools.demo --issuer cert-manager

.PHONY: demo-again
demo-again: ## the last rotation once more: nothing to do
	@$(CHECK) --demo --exec python -m tests.tools.demo --again

.PHONY: demo-down
demo-down: ## stop what the demo left running
	@$(CHECK) --demo --exec python -m tests.tools.demo --down

.PHONY: kafka-up
kafka-up: ## the test bed with a real node, and the operator double; as root
	@$(CHECK) --bed real --exec python -m tests.kafka up

.PHONY: kafka-down
kafka-down: ## stop it, and remove what it or a killed one left
	@$(CHECK) --exec python -m tests.kafka down

.PHONY: traffic
traffic: ## producers, consumers and handshakes through every flow of both CAs on real nodes; as root. VARIANT="restart vault" FLOW="renew clients-renew"
	@$(CHECK) --bed real --exec python -m tests.tools.traffic $(addprefix --variant ,$(VARIANT)) $(addprefix --flow ,$(FLOW))

.PHONY: bench
bench: ## measure what the time goes into
	@$(CHECK) --exec python -m tests.tools.bench

.PHONY: traffic-recovery
traffic-recovery: ## what ended certificates cost on real nodes under traffic, with recover and by Strimzi's documentation; as root. SITUATION=leaves WAY="by hand"
	@$(CHECK) --bed real --exec python -m tests.tools.traffic.recovery $(addprefix --situation ,$(SITUATION)) $(addprefix --layout ,$(LAYOUT)) $(if $(WAY),--way "$(WAY)")

.PHONY: traffic-batches
traffic-batches: ## nine brokers in three racks restart one by one and in batches, under traffic, on real nodes; as root. FLOW=roll LAYOUT=racks-dual-role
	@$(CHECK) --bed real --exec python -m tests.tools.traffic.batches $(addprefix --layout ,$(LAYOUT)) $(addprefix --flow ,$(FLOW))

.PHONY: traffic-mirrors
traffic-mirrors: ## two clusters that MirrorMaker 2 mirrors to each other, under traffic, while rotate_fleet replaces the keys of both; as root
	@$(CHECK) --bed real --exec python -m tests.tools.traffic.mirrors

.PHONY: bench-kafka
bench-kafka: ## replacements of the CA's key on real nodes, beside the operator's own; as root
	@$(CHECK) --bed real --exec python -m tests.tools.bench_kafka

.PHONY: changelog
changelog: ## make CHANGELOG.md from changelogs/
	@$(CHECK) --exec antsibull-changelog generate --reload-plugins
