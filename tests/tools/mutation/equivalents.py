"""Mutants that no test can notice, each with the reason: they do what the code does.

A line that is changed leaves this list with its mutant: a run says what of the list is not so any more.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Equivalent:
    #: Below ``plugins/module_utils``.
    module: str
    #: The line, without its indentation.
    before: str
    #: The line as the equivalent mutants have it.
    after: tuple[str, ...]
    why: str


EQUIVALENTS: tuple[Equivalent, ...] = (
    Equivalent(
        "_pki/building.py",
        "attributes.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, self.organization))",
        ("attributes.insert( -1, x509.NameAttribute(NameOID.ORGANIZATION_NAME, self.organization))",),
        "It is the second of two, and comes before the one that is there.",
    ),
    Equivalent(
        "_pki/certificates.py",
        "@lru_cache(maxsize=65536)",
        ("", "@lru_cache(maxsize= 65537)", "@lru_cache(maxsize= 65535)"),
        "Results are kept to save time; each is a function of its arguments.",
    ),
    Equivalent(
        "_pki/certificates.py",
        "@lru_cache(maxsize=4096)",
        ("", "@lru_cache(maxsize= 4097)", "@lru_cache(maxsize= 4095)"),
        "Results are kept to save time; each is a function of its arguments.",
    ),
    Equivalent(
        "_pki/certificates.py",
        "return hashlib.sha1(self.der, usedforsecurity=False).hexdigest()",
        ("return hashlib.sha1(self.der, usedforsecurity=True).hexdigest()",),
        "Only a library that is restricted to what FIPS 140 allows looks at this.",
    ),
    Equivalent(
        "_pki/certificates.py",
        "if not blocks or len(blocks) != len(_BEGIN.findall(data)):",
        ("if not blocks or len(blocks) < len(_BEGIN.findall(data)):",),
        "Each block has a beginning.",
    ),
    Equivalent(
        "_pki/keys.py",
        "min(p, q) > 1",
        ("min(p, q) != 1",),
        "If one is 0, a remainder below is taken by -1, and it is 0 and not 1.",
    ),
    Equivalent(
        "_pki/keystores.py",
        "while len(stream) < len(plain):",
        ("while len(stream) <= len(plain):",),
        "The rest of the stream is not used.",
    ),
    Equivalent(
        "_pki/keystores.py",
        "keys = [bag for kind, bag in bags if kind == _KEY_BAG]",
        ("keys = [bag for kind, bag in bags if kind <= _KEY_BAG]",),
        "The next line refuses a file with a bag of a kind before this one.",
    ),
    Equivalent(
        "_pki/keystores.py",
        "if len(keys) != 1 or not all(kind in (_KEY_BAG, _CERTIFICATE_BAG) for kind, _one in bags):",
        ("if len(keys) > 1 or not all(kind in (_KEY_BAG, _CERTIFICATE_BAG) for kind, _one in bags):",),
        "If there is no key, the first key is missing below, and the same error is raised.",
    ),
    Equivalent(
        "_pki/keystores.py",
        "certificates = (certificate_from_der(_bag_certificate(bag)) for kind, bag in bags if kind == _CERTIFICATE_BAG)",
        (
            "certificates = (certificate_from_der(_bag_certificate(bag)) for kind, bag in bags if kind >= _CERTIFICATE_BAG)",
        ),
        "The other kind that is not refused comes before this one.",
    ),
    Equivalent(
        "_pki/keystores.py",
        "while at < len(content):",
        ("while at != len(content):",),
        "No value ends behind the content.",
    ),
    Equivalent(
        "_pki/keystores.py",
        "return bytes([tag]) + (digits if size < 0x80 else bytes([0x80 | len(digits)]) + digits) + content",
        (
            "return bytes([tag]) + (digits if size < 0x80 else bytes([0x80 ^ len(digits)]) + digits) + content",
            "return bytes([tag]) + (digits if size < 0x80 else bytes([0x80 + len(digits)]) + digits) + content",
        ),
        "There are fewer digits than 128.",
    ),
    Equivalent(
        "_pki/keystores.py",
        "return load_stored_der(_shrouded(keys[0], password)), tuple(certificates)",
        ("return load_stored_der(_shrouded(keys[ -1], password)), tuple(certificates)",),
        "There is one.",
    ),
    Equivalent(
        "_pki/keystores.py",
        "more, at = size - 0x80, at + size - 0x80",
        (
            "more, at = size ^ 0x80, at + size - 0x80",
            "more, at = size % 0x80, at + size - 0x80",
            "more, at = size - 0x80, at + size % 0x80",
        ),
        "It is greater, and no greater than 255.",
    ),
    Equivalent(
        "_pki/keystores.py",
        "elif size == 0x80:",
        ("elif size >= 0x80:",),
        "Whether it is greater was asked before.",
    ),
    Equivalent(
        "_pki/keystores.py",
        "return number if tag == _NUMBER and 0 < number <= _MOST_ITERATIONS else _refuse_other_format()",
        (
            "return number if tag == _NUMBER and 0 <= number <= _MOST_ITERATIONS else _refuse_other_format()",
            "return number if tag == _NUMBER and -1 < number <= _MOST_ITERATIONS else _refuse_other_format()",
        ),
        "With no iteration no digest and no key comes out right.",
    ),
    Equivalent(
        "_pki/usability.py",
        '_GO_CURVES = _JVM_CURVES | {"secp224r1"}',
        ('_GO_CURVES = _JVM_CURVES ^ {"secp224r1"}',),
        "Those for JVMs lack this one.",
    ),
    Equivalent(
        "_pki/usability.py",
        'yield Defect(JVM | GO, "has an EC key in compressed form", "whose key is not compressed")',
        ('yield Defect(JVM ^ GO, "has an EC key in compressed form", "whose key is not compressed")',),
        "None of these verifiers is two of them.",
    ),
    Equivalent(
        "_pki/usability.py",
        'if algorithm == "rsa" and bits < 2048:',
        ('if algorithm >= "rsa" and bits < 2048:',),
        "No kind of key has a name after this one.",
    ),
    Equivalent(
        "_pki/usability.py",
        "if algorithm == KeyAlgorithm.RSA.value:",
        ("if algorithm >= KeyAlgorithm.RSA.value:",),
        "No kind of key has a name after this one.",
    ),
    Equivalent(
        "_pki/usability.py",
        "if not leaf.subject and _ALTERNATIVE_NAMES in leaf.extensions - leaf.critical_extensions:",
        ("if not leaf.subject and _ALTERNATIVE_NAMES in leaf.extensions ^ leaf.critical_extensions:",),
        "Critical ones are among them.",
    ),
    Equivalent(
        "_pki/usability.py",
        "refusing = OPENSSL if certificate.key_type[1] < 224 else frozenset()",
        ("refusing = OPENSSL if certificate.key_type[1] < 223 else frozenset()",),
        "No curve is of 223 bits.",
    ),
    Equivalent(
        "_pki/usability.py",
        "refusing = ALL if algorithm == _MD5 else GO | OPENSSL if algorithm in _SHA1 | _ECDSA_SHA3 else GO",
        (
            "refusing = ALL if algorithm == _MD5 else GO ^ OPENSSL if algorithm in _SHA1 | _ECDSA_SHA3 else GO",
            "refusing = ALL if algorithm == _MD5 else GO | OPENSSL if algorithm in _SHA1 ^ _ECDSA_SHA3 else GO",
        ),
        "None of these verifiers is two of them, and none of these algorithms.",
    ),
    Equivalent(
        "_pki/usability.py",
        'GO | OPENSSL | below, f"marks its {name} key identifier as critical",',
        (
            'GO ^ OPENSSL | below, f"marks its {name} key identifier as critical",',
            'GO | OPENSSL ^ below, f"marks its {name} key identifier as critical",',
        ),
        "None of these verifiers is two of them.",
    ),
    Equivalent(
        "_pki/verifiers.py",
        "return names[0] if len(names) == 1 else f\"{', '.join(names[:-1])} and {names[-1]}\"",
        (
            "return names[0] if len(names) <= 1 else f\"{', '.join(names[:-1])} and {names[-1]}\"",
            "return names[ -1] if len(names) == 1 else f\"{', '.join(names[:-1])} and {names[-1]}\"",
        ),
        "There is one at least, and of one the first is the last.",
    ),
    Equivalent(
        "_pki/keys.py",
        "PublicKey = RSAPublicKey | EllipticCurvePublicKey",
        (
            "PublicKey = RSAPublicKey + EllipticCurvePublicKey",
            "PublicKey = RSAPublicKey - EllipticCurvePublicKey",
            "PublicKey = RSAPublicKey * EllipticCurvePublicKey",
            "PublicKey = RSAPublicKey / EllipticCurvePublicKey",
            "PublicKey = RSAPublicKey // EllipticCurvePublicKey",
            "PublicKey = RSAPublicKey % EllipticCurvePublicKey",
            "PublicKey = RSAPublicKey ** EllipticCurvePublicKey",
            "PublicKey = RSAPublicKey >> EllipticCurvePublicKey",
            "PublicKey = RSAPublicKey << EllipticCurvePublicKey",
            "PublicKey = RSAPublicKey & EllipticCurvePublicKey",
            "PublicKey = RSAPublicKey ^ EllipticCurvePublicKey",
        ),
        "Only a type checker evaluates this line.",
    ),
    Equivalent(
        "_pki/keys.py",
        "if key.curve.key_size <= 256:",
        ("if key.curve.key_size <= 257:",),
        "No curve is of 257 bits.",
    ),
    Equivalent(
        "_pki/keys.py",
        "return hashes.SHA384() if key.curve.key_size <= 384 else hashes.SHA512()",
        (
            "return hashes.SHA384() if key.curve.key_size == 384 else hashes.SHA512()",
            "return hashes.SHA384() if key.curve.key_size <= 385 else hashes.SHA512()",
        ),
        "No prime curve that the library reads is of another size between 256 and 512 bits.",
    ),
    Equivalent(
        "_pki/keys.py",
        "return PrivateKey(ec.generate_private_key(ec.SECP256R1() if spec.size == 256 else ec.SECP384R1()))",
        ("return PrivateKey(ec.generate_private_key(ec.SECP256R1() if spec.size <= 256 else ec.SECP384R1()))",),
        "Smaller sizes were refused before.",
    ),
    Equivalent(
        "_pki/keys.py",
        "def _parse(load: Callable[..., PrivateKeyTypes], content: bytes, *, skip_validation: bool) -> PrivateKeyTypes:",
        (
            "def _parse(load: Callable[..., PrivateKeyTypes], content: bytes, /, skip_validation: bool) -> PrivateKeyTypes:",
        ),
        "Its callers name what they give.",
    ),
    Equivalent(
        "_pki/usability.py",
        "refusing = JVM if usages & _EXCHANGE else JVM | OPENSSL",
        ("refusing = JVM if usages & _EXCHANGE else JVM ^ OPENSSL",),
        "None of these verifiers is two of them.",
    ),
    Equivalent(
        "_pki/names.py",
        "frozenset(dns | ips), frozenset(str(name.value) for name in unmatched),",
        ("frozenset(dns ^ ips), frozenset(str(name.value) for name in unmatched),",),
        "No text is an address.",
    ),
    Equivalent(
        "_pki/names.py",
        "if max(upper, default=0) > 255 or last >= rest:",
        (
            "if max(upper, default= -1) > 255 or last >= rest:",
            "if max(upper, default= 1) > 255 or last >= rest:",
        ),
        "None of these is greater than 255.",
    ),
    Equivalent(
        "_pki/names.py",
        'return IPv4Address(int.from_bytes(bytes(upper), "big") * rest + last)',
        (
            'return IPv4Address(int.from_bytes(bytes(upper), "big") * rest | last)',
            'return IPv4Address(int.from_bytes(bytes(upper), "big") * rest ^ last)',
        ),
        "The last part has none of the bits of the upper parts.",
    ),
    Equivalent(
        "_pki/names.py",
        "return network.prefixlen == 0 and network.version != address.version",
        ("return network.prefixlen <= 0 and network.version != address.version",),
        "No prefix is shorter.",
    ),
    Equivalent(
        "_pki/names.py",
        'if plain != name and any(_is_within(excluded.lstrip("."), plain) for excluded in self.excluded.names):',
        ('if plain > name and any(_is_within(excluded.lstrip("."), plain) for excluded in self.excluded.names):',),
        "A star comes before all that a label can begin with.",
    ),
    Equivalent(
        "_pki/names.py",
        "elif isinstance(name, x509.IPAddress) and isinstance(name.value, (IPv4Network, IPv6Network)):",
        ("elif isinstance(name, x509.IPAddress) or isinstance(name.value, (IPv4Network, IPv6Network)):",),
        "Addresses in constraints are networks.",
    ),
    Equivalent(
        "_pki/paths.py",
        "if chain.count(certificate) > 1",
        ("if chain.count(certificate) != 1",),
        "It is in the chain.",
    ),
    Equivalent(
        "_pki/paths.py",
        "while waiting and steps < _MOST_STEPS:",
        ("while waiting and steps != _MOST_STEPS:",),
        "The steps are counted one by one.",
    ),
    Equivalent(
        "_pki/paths.py",
        "read = names.alternative | (names.to_openssl if certificate is leaf else frozenset())",
        ("read = names.alternative ^ (names.to_openssl if certificate is leaf else frozenset())",),
        "If it has an alternative DNS name, no common name is read.",
    ),
    Equivalent(
        "_pki/paths.py",
        "applies = position < len(authorities) or verifier.applies_anchor_path_length",
        (
            "applies = position != len(authorities) or verifier.applies_anchor_path_length",
            "applies = position is not len(authorities) or verifier.applies_anchor_path_length",
        ),
        "None is beyond the last.",
    ),
    Equivalent(
        "_pki/usability.py",
        "refusing = OPENSSL if ANY_USE in uses else GO | OPENSSL",
        ("refusing = OPENSSL if ANY_USE in uses else GO ^ OPENSSL",),
        "None of these verifiers is two of them.",
    ),
    Equivalent(
        "_trust/evidence/parties.py",
        "if len(candidates) > 1:",
        ("if len(candidates) != 1:",),
        "That there is one at least was asked before.",
    ),
    Equivalent(
        "_trust/evidence/parties.py",
        "for pod, seen in zip(stored.pods_with_certificates(snapshot), as_stored, strict=True)",
        ("for pod, seen in zip(stored.pods_with_certificates(snapshot), as_stored, strict=False)",),
        "There is one presentation of each pod.",
    ),
    Equivalent(
        "_trust/gates/gates.py",
        "parties = tuple(zip(verifying_parties(snapshot, remaining), verifying_parties(snapshot, ledger), strict=True))",
        (
            "parties = tuple(zip(verifying_parties(snapshot, remaining), verifying_parties(snapshot, ledger), strict=False))",
        ),
        "The same processes verify, whatever the ledger holds.",
    ),
    Equivalent(
        "_trust/approval.py",
        'changed = [name for name, old, new in zip(PARTS, approved_hash.split("-"), present, strict=True) if old != new]',
        (
            'changed = [name for name, old, new in zip(PARTS, approved_hash.split("-"), present, strict=False) if old != new]',
        ),
        "Each has four parts: an option of another form is refused.",
    ),
    Equivalent(
        "_trust/gates/gates.py",
        'return (_why_no_root(supplied[0]) or _why_refused_behind(snapshot, supplied[0])) if supplied else ""',
        ('return (_why_no_root(supplied[0]) or _why_refused_behind(snapshot, supplied[ -1])) if supplied else ""',),
        "No CA is above a root.",
    ),
    Equivalent(
        "_trust/gates/verifiers.py",
        "@lru_cache(maxsize=4096)",
        ("", "@lru_cache(maxsize= 4097)", "@lru_cache(maxsize= 4095)"),
        "Results are kept to save time; each is a function of its arguments.",
    ),
    Equivalent(
        "_trust/ledger/enrolment.py",
        "return ledger.with_entry(replace(entry, generations=entry.generations | {generation}))",
        ("return ledger.with_entry(replace(entry, generations=entry.generations ^ {generation}))",),
        "A generation that any CA has already is not learned.",
    ),
    Equivalent(
        "_trust/ledger/journal.py",
        "stop = stop_of(None, intent, True, snapshot.now)",
        ("stop = stop_of(None, intent, False, snapshot.now)",),
        "Where there was no stop, each call brings one in.",
    ),
    Equivalent(
        "_trust/model/ledger.py",
        "return self.earlier_fingerprints | frozenset(filter(None, (self.replaces, self.replaces_sha256)))",
        ("return self.earlier_fingerprints ^ frozenset(filter(None, (self.replaces, self.replaces_sha256)))",),
        "A certificate is none of those before it.",
    ),
    Equivalent(
        "_trust/ledger/target.py",
        "return signing[0]",
        ("return signing[ -1]",),
        "There is one.",
    ),
    Equivalent(
        "_trust/ledger/target.py",
        "if journal is None or journal.finished_at is None:",
        ("if journal is None and journal.finished_at is None:",),
        "Nothing but a flow that has finished is the answer there.",
    ),
    Equivalent(
        "_trust/ledger/update.py",
        "ledger = ledger.with_entry(replace(entry, awaited_pods=(entry.awaited_pods or frozenset()) - seen))",
        ("ledger = ledger.with_entry(replace(entry, awaited_pods=(entry.awaited_pods or frozenset()) ^ seen))",),
        "The pods that were seen are among the awaited pods.",
    ),
    Equivalent(
        "_trust/ledger/update.py",
        "lingering = (removed.awaited_pods | removed.lingering_pods) & snapshot.uids - snapshot.reached_whole",
        ("lingering = (removed.awaited_pods | removed.lingering_pods) & snapshot.uids ^ snapshot.reached_whole",),
        "The pods that only verify are among the pods.",
    ),
    Equivalent(
        "_trust/model/ledger.py",
        "while not chain[-1].is_root and len(chain) < MOST_IN_A_CHAIN:",
        ("while not chain[-1].is_root and len(chain) != MOST_IN_A_CHAIN:",),
        "It grows by one at a time.",
    ),
    Equivalent(
        "_trust/ledger/update.py",
        "annotated = frozenset(pod.leaf_hash for pod in snapshot.nodes.pods) - _doubtful_leaves(snapshot, ledger)",
        ("annotated = frozenset(pod.leaf_hash for pod in snapshot.nodes.pods) ^ _doubtful_leaves(snapshot, ledger)",),
        "Doubtful ones are among those that pods are annotated with.",
    ),
    Equivalent(
        "_trust/ledger/update.py",
        "if seen is not None and len(seen) == 1:",
        ("if seen is not None and len(seen) <= 1:",),
        "Of a pod that presents what is stored either nothing is known, or a CA at least.",
    ),
    Equivalent(
        "_trust/model/ledger.py",
        "TRUSTED_STATES = frozenset(TrustState) - {TrustState.UNTRUSTED}",
        ("TRUSTED_STATES = frozenset(TrustState) ^ {TrustState.UNTRUSTED}",),
        "It is one of them.",
    ),
    Equivalent(
        "_trust/model/decision.py",
        "NONE = 0",
        ("NONE = -1",),
        "Only which of these numbers is higher matters.",
    ),
    Equivalent(
        "_trust/model/decision.py",
        "FRESH = 2",
        ("FRESH = 3",),
        "Only which of these numbers is higher matters.",
    ),
    Equivalent(
        "_trust/model/steps/nodes.py",
        "unread = entry.awaited_pods - read",
        ("unread = entry.awaited_pods ^ read",),
        "The pods that have read are among the awaited pods.",
    ),
    Equivalent(
        "_trust/model/steps/nodes.py",
        "@dataclass(frozen=True, kw_only=True)",
        ("", "@dataclass(frozen=True, kw_only=False)"),
        "A step without fields of its own is what its base makes of it.",
    ),
    Equivalent(
        "_trust/model/steps/trust.py",
        "@dataclass(frozen=True, kw_only=True)",
        ("", "@dataclass(frozen=True, kw_only=False)"),
        "A step without fields of its own is what its base makes of it.",
    ),
    Equivalent(
        "_trust/model/steps/trust.py",
        'trust = "trusts" if len(self.clients) == 1 else "trust"',
        ('trust = "trusts" if len(self.clients) <= 1 else "trust"',),
        "It waits for one client at least.",
    ),
    Equivalent(
        "_trust/preconditions/goals.py",
        "return f\"{counted(len(names), 'pod')} ({listed(names)}) still {'has' if len(names) == 1 else 'have'} to restart\"",
        (
            "return f\"{counted(len(names), 'pod')} ({listed(names)}) still {'has' if len(names) <= 1 else 'have'} to restart\"",
        ),
        "There is one at least.",
    ),
    Equivalent(
        "_trust/preconditions/authority.py",
        "return [same for same in by_name.values() if len({certificate.public_key_sha256 for certificate in same}) > 1]",
        (
            "return [same for same in by_name.values() if len({certificate.public_key_sha256 for certificate in same}) != 1]",
        ),
        "There is one at least.",
    ),
    Equivalent(
        "_trust/preconditions/authority.py",
        "or certificate.is_twin_of(signers[0])",
        ("or certificate.is_twin_of(signers[ -1])",),
        "All that have signed it have one name and one key.",
    ),
    Equivalent(
        "_trust/preconditions/source.py",
        "own, above = chain[0].public_key_sha256, {certificate.public_key_sha256 for certificate in chain[1:]}",
        ("own, above = chain[0].public_key_sha256, {certificate.public_key_sha256 for certificate in chain[ 0:]}",),
        "Where the first is trusted, the answer was given before.",
    ),
    Equivalent(
        "_trust/preconditions/source.py",
        "if own in {certificate.public_key_sha256 for other_chain in chains for certificate in other_chain[1:]}:",
        ("if own in {certificate.public_key_sha256 for other_chain in chains for certificate in other_chain[ 0:]}:",),
        "Where the first is trusted, the answer was given before.",
    ),
    Equivalent(
        "_trust/preconditions/leaves.py",
        'what = "presents a certificate that has" if len(ended) == 1 else "present certificates that have"',
        ('what = "presents a certificate that has" if len(ended) <= 1 else "present certificates that have"',),
        "There is one at least.",
    ),
    Equivalent(
        "_trust/rules/repair.py",
        "return _ONE if len(ended) == 1 else _SEVERAL",
        ("return _ONE if len(ended) <= 1 else _SEVERAL",),
        "There is one at least.",
    ),
    Equivalent(
        "_trust/rules/repair.py",
        "if len(ended) == len(every):",
        ("if len(ended) >= len(every):",),
        "These are some of them.",
    ),
    Equivalent(
        "_trust/preconditions/cluster.py",
        "return f\"{_seconds(abs(ahead))} {'ahead of' if ahead > timedelta(0) else 'behind'}\"",
        ("return f\"{_seconds(abs(ahead))} {'ahead of' if ahead >= timedelta(0) else 'behind'}\"",),
        "Where there is no difference, nothing is said.",
    ),
    Equivalent(
        "_trust/rules/restore.py",
        "is_lost_alone = step.damaged == {StateSecrets.LEDGER} and snapshot.ledger is None",
        ("is_lost_alone = step.damaged <= {StateSecrets.LEDGER} and snapshot.ledger is None",),
        "A step puts back one Secret at least.",
    ),
    Equivalent(
        "_trust/preconditions/authority.py",
        "if len(chain) < 2:",
        ("if len(chain) < 1:",),
        "A single certificate has no such problems.",
    ),
    Equivalent(
        "_trust/preconditions/authority.py",
        "return chain[:-1] if len(chain) > 1 or not anchors else chain",
        ("return chain[:-1] if len(chain) != 1 or not anchors else chain",),
        "There is nothing above nothing.",
    ),
    Equivalent(
        "_trust/preconditions/cluster.py",
        "return f\"{'label' if len(lost) == 1 else 'labels'} {' and '.join(lost)}\"",
        ("return f\"{'label' if len(lost) <= 1 else 'labels'} {' and '.join(lost)}\"",),
        "There is one at least.",
    ),
    Equivalent(
        "_trust/preconditions/goals.py",
        'names = {f"{snapshot.names.namespace}/{pod}" for pod in pods} | pods',
        ('names = {f"{snapshot.names.namespace}/{pod}" for pod in pods} ^ pods',),
        "No name of a pod has a slash.",
    ),
    Equivalent(
        "_trust/decide.py",
        "def _decide_end(at: Situation, *, work_is_left: bool) -> Decision:",
        ("def _decide_end(at: Situation, /, work_is_left: bool) -> Decision:",),
        "Its callers name what they give.",
    ),
    Equivalent(
        "_trust/rules/pause.py",
        "def await_verdict(at: Situation, *, work_is_left: bool) -> Turn:",
        ("def await_verdict(at: Situation, /, work_is_left: bool) -> Turn:",),
        "Its callers name what they give.",
    ),
    Equivalent(
        "_trust/plan.py",
        "@cache",
        ("",),
        "Results are kept to save time; each is a function of its arguments.",
    ),
    Equivalent(
        "_trust/rules/requests.py",
        "@answered_once",
        ("",),
        "Results are kept to save time; each is a function of its arguments.",
    ),
    Equivalent(
        "_trust/plan.py",
        "if value is None or isinstance(value, (int, timedelta)):",
        ("if value is None and isinstance(value, (int, timedelta)):",),
        "These values come back as they are at the end too.",
    ),
    Equivalent(
        "_trust/plan.py",
        "refused = frozenset(certificate.fingerprint for certificate in new) - trusted",
        ("refused = frozenset(certificate.fingerprint for certificate in new) ^ trusted",),
        "The CAs that are found are among the new CAs.",
    ),
    Equivalent(
        "_trust/plan.py",
        "return replace(listener, accepts=listener.accepts | trusted, refuses=listener.refuses | refused)",
        (
            "return replace(listener, accepts=listener.accepts ^ trusted, refuses=listener.refuses | refused)",
            "return replace(listener, accepts=listener.accepts | trusted, refuses=listener.refuses ^ refused)",
        ),
        "The listener has said nothing about a new CA.",
    ),
    Equivalent(
        "_trust/plan.py",
        "return uids | restarted_by_operator(snapshot)",
        ("return uids ^ restarted_by_operator(snapshot)",),
        "A pod that has restarted has another UID.",
    ),
    Equivalent(
        "_trust/rules/expiring.py",
        "if place == 0",
        ("if place <= 0",),
        "No place comes before the first.",
    ),
    Equivalent(
        "_trust/rules/expiring.py",
        '_refusal_of(authority, snapshot) if place == 0 else "",',
        ('_refusal_of(authority, snapshot) if place <= 0 else "",',),
        "No place comes before the first.",
    ),
    Equivalent(
        "_trust/rules/due.py",
        "if unwanted is None or not current or current[0] == unwanted.certificate:",
        ("if unwanted is None or not current or current[ -1] == unwanted.certificate:",),
        "The CA in use is alone here.",
    ),
    Equivalent(
        "_trust/rules/expiring.py",
        'f"{snapshot.names.kafka}: the Cluster Operator no longer renews {named(current[0])}, which ends on "',
        ('f"{snapshot.names.kafka}: the Cluster Operator no longer renews {named(current[ -1])}, which ends on "',),
        "The CA in use is alone here.",
    ),
    Equivalent(
        "_trust/rules/expiring.py",
        'f"{current[0].not_after:%Y-%m-%d}."',
        ('f"{current[ -1].not_after:%Y-%m-%d}."',),
        "The CA in use is alone here.",
    ),
    Equivalent(
        "_trust/rules/expiring.py",
        'begins = _name_begin(due_from(current[0], usual_window(snapshot)), snapshot) or "now"',
        ('begins = _name_begin(due_from(current[ -1], usual_window(snapshot)), snapshot) or "now"',),
        "The CA in use is alone here.",
    ),
    Equivalent(
        "_trust/rules/due.py",
        "ahead = window + min(_AHEAD, outside / 2) if outside > timedelta(0) else life / 2",
        (
            "ahead = window + min(_AHEAD, outside // 2) if outside > timedelta(0) else life / 2",
            "ahead = window + min(_AHEAD, outside / 2) if outside > timedelta(0) else life // 2",
        ),
        "Certificates and windows have whole seconds.",
    ),
    Equivalent(
        "_trust/rules/repair.py",
        "if listener.presents and listener.port != CONTROL_PLANE",
        ("if listener.presents and listener.port > CONTROL_PLANE",),
        "No listener of a node has a lower port.",
    ),
    Equivalent(
        "_trust/rules/leaves.py",
        "if not others or at.ledger.undone_ca is not None or not at.gates.trust(at.snapshot, at.ledger, current):",
        ("if not others and at.ledger.undone_ca is not None or not at.gates.trust(at.snapshot, at.ledger, current):",),
        "Where no leaf is of another CA, none is left out.",
    ),
    Equivalent(
        "_trust/rules/leaves.py",
        "others = {ca.current, (*ca.links_in_use.both, *ca.current)} - {wanted}",
        ("others = {ca.current, (*ca.links_in_use.both, *ca.current)} ^ {wanted}",),
        "The wanted chain is one of them.",
    ),
    Equivalent(
        "_trust/rules/pause.py",
        "return f\"verdict-{sha256(' '.join(stored).encode()).hexdigest()[:12]}\"",
        (
            "return f\"verdict-{sha256(' '.join(stored).encode()).hexdigest()[: 13]}\"",
            "return f\"verdict-{sha256(' '.join(stored).encode()).hexdigest()[: 11]}\"",
        ),
        "Only whether two of these names differ matters.",
    ),
    Equivalent(
        "_trust/rules/prepare.py",
        "return stop_of(None, at.intent, True, at.snapshot.now)",
        ("return stop_of(None, at.intent, False, at.snapshot.now)",),
        "A flow that begins has no stop yet, so none is to be brought forward.",
    ),
    Equivalent(
        "_trust/rules/prepare.py",
        "old, new = named(current), named(supplied.chain[0])",
        ("old, new = named(current), named(supplied.chain[ -1])",),
        "Only a root has a link certificate, and nothing is above it.",
    ),
    Equivalent(
        "_trust/rules/prepare.py",
        "if step.links.issuer and (unable := _why_not_asked_back(current, supplied.chain[0])):",
        ("if step.links.issuer and (unable := _why_not_asked_back(current, supplied.chain[ -1])):",),
        "Only a root has a link certificate, and nothing is above it.",
    ),
    Equivalent(
        "_trust/rules/requests.py",
        "ready = wanted - set(secrets_without_leaf(at, tuple(wanted), issuer))",
        ("ready = wanted ^ set(secrets_without_leaf(at, tuple(wanted), issuer))",),
        "What is not at hand is wanted.",
    ),
    Equivalent(
        "_trust/rules/requests.py",
        "unusable = {name for name in wanted - ready if reasons[name].reason not in OF_TIME}",
        (
            "unusable = {name for name in wanted ^ ready if reasons[name].reason not in OF_TIME}",
            "unusable = {name for name in wanted | ready if reasons[name].reason not in OF_TIME}",
        ),
        "What is ready is wanted, and it is taken out beside what is unusable.",
    ),
    Equivalent(
        "_trust/rules/requests.py",
        "return Asked(wish.candidates[0], {wish.sample_secret: _SIGNER})",
        (
            "return Asked(wish.candidates[ 1], {wish.sample_secret: _SIGNER})",
            "return Asked(wish.candidates[ -1], {wish.sample_secret: _SIGNER})",
        ),
        "The certificate tells which of them signs, whichever the request names.",
    ),
    Equivalent(
        "_trust/rules/restore.py",
        "is_earlier = ca.key_generation < min(max(generations, default=0), kept.key_generation)",
        ("is_earlier = ca.key_generation < min(max(generations, default= -1), kept.key_generation)",),
        "No generation is below zero.",
    ),
    Equivalent(
        "_trust/rules/restore.py",
        "return max((generation for generation in generations if generation is not None), default=0)",
        ("return max((generation for generation in generations if generation is not None), default= -1)",),
        "No generation is below zero.",
    ),
    Equivalent(
        "_trust/rules/repair.py",
        "ready = set(ended) - set(secrets_without_leaf(resting, ended, ca.current))",
        ("ready = set(ended) ^ set(secrets_without_leaf(resting, ended, ca.current))",),
        "Those without a leaf are among the leaves that have ended.",
    ),
    Equivalent(
        "_trust/rules/retire.py",
        "unused = ((frozenset(ca.kept_links) - of_ledger) | switched) - in_use",
        ("unused = ((frozenset(ca.kept_links) - of_ledger) ^ switched) - in_use",),
        "The CA that was switched to is known.",
    ),
    Equivalent(
        "_trust/rules/retire.py",
        "stop=stop_of(None, at.intent, True, at.snapshot.now), beginning=beginning_of(at.snapshot, at.intent),",
        ("stop=stop_of(None, at.intent, False, at.snapshot.now), beginning=beginning_of(at.snapshot, at.intent),",),
        "A flow that begins has no stop yet, so none is to be brought forward.",
    ),
    Equivalent(
        "_trust/rules/switch.py",
        'clients = "Clients" if led == frozenset(Verifier) else f"Clients of {named_verifiers(led)}"',
        ('clients = "Clients" if led >= frozenset(Verifier) else f"Clients of {named_verifiers(led)}"',),
        "There is no verifier but these.",
    ),
    Equivalent(
        "_trust/rules/holds.py",
        "yield from unusable_leaves(snapshot, at.ledger, read | lacking, _describe_remedy_by_issuer(at)).values()",
        ("yield from unusable_leaves(snapshot, at.ledger, read ^ lacking, _describe_remedy_by_issuer(at)).values()",),
        "A pod has no Secret that is missing.",
    ),
    Equivalent(
        "_trust/rules/holds.py",
        "for pod, seen in zip(pods_with_certificates(at.snapshot), at.pod_presentations, strict=True):",
        ("for pod, seen in zip(pods_with_certificates(at.snapshot), at.pod_presentations, strict=False):",),
        "There is one presentation of each pod.",
    ),
    Equivalent(
        "_trust/rules/leaves.py",
        "others = {entry.fingerprint for entry in at.ledger.entries} - {successor.entry.fingerprint}",
        ("others = {entry.fingerprint for entry in at.ledger.entries} ^ {successor.entry.fingerprint}",),
        "The next CA is one of them.",
    ),
    Equivalent(
        "_trust/rules/leaves.py",
        "if not at.snapshot.ca.in_use_elsewhere or scaling.replicas < before:",
        ("if not at.snapshot.ca.in_use_elsewhere or scaling.replicas <= before:",),
        "As many nodes as there are were no reason for a step before.",
    ),
    Equivalent(
        "_trust/rules/switch.py",
        "every = projected | {chain[0].fingerprint for chain in needed}",
        ("every = projected ^ {chain[0].fingerprint for chain in needed}",),
        "What is needed is not projected.",
    ),
    Equivalent(
        "_trust/rules/retire.py",
        "restarted = waiting if nodes else waiting - nodes_of(at.snapshot, waiting)",
        ("restarted = waiting if nodes else waiting ^ nodes_of(at.snapshot, waiting)",),
        "The nodes among these pods are a part of them.",
    ),
    Equivalent(
        "_trust/rules/switch.py",
        "return max(present + 1, authority_generation(successor.entry.certificate) or 0)",
        (
            "return max(present + 1, authority_generation(successor.entry.certificate) or 1)",
            "return max(present + 1, authority_generation(successor.entry.certificate) or -1)",
        ),
        "It is one at least.",
    ),
    Equivalent(
        "_trust/ledger/target.py",
        "_HEEDING = ROTATIONS | {Goal.RECONCILE}",
        ("_HEEDING = ROTATIONS ^ {Goal.RECONCILE}",),
        "The goal reconcile is no rotation.",
    ),
    Equivalent(
        "_trust/approval.py",
        "_LEFT_OUT = _REQUESTING | {kind.__name__ for kind in (SetGenerated, RestoreSecrets, WriteLedger)}",
        ("_LEFT_OUT = _REQUESTING ^ {kind.__name__ for kind in (SetGenerated, RestoreSecrets, WriteLedger)}",),
        "These kinds of steps ask no issuer.",
    ),
    Equivalent(
        "_trust/duration.py",
        "def _take_together(nodes: Mapping[str, timedelta], rounds: Sequence[Round], *, at_once: bool) -> Iterator[timedelta]:",
        (
            "def _take_together(nodes: Mapping[str, timedelta], rounds: Sequence[Round], /, at_once: bool) -> Iterator[timedelta]:",
        ),
        "Its callers name what they give.",
    ),
    Equivalent(
        "_trust/model/security.py",
        "def presents(self, *, serves: bool) -> bool:",
        ("def presents(self, /, serves: bool) -> bool:",),
        "Its callers name what they give.",
    ),
    Equivalent(
        "_trust/preconditions/cluster.py",
        "_USED = frozenset(TrustState) - UNUSED",
        ("_USED = frozenset(TrustState) ^ UNUSED",),
        "The unused states are states.",
    ),
    Equivalent(
        "_trust/preconditions/cluster.py",
        "LARGEST = BACKDATED / 2",
        ("LARGEST = BACKDATED // 2",),
        "Half of five minutes is a whole number of microseconds.",
    ),
    Equivalent(
        "_trust/preconditions/goals.py",
        'subject: str, made: Certificate, intent: Intent, remedy: str, why: str = "", *, life: bool = False',
        ('subject: str, made: Certificate, intent: Intent, remedy: str, why: str = "", /, life: bool = False',),
        "Its callers name what they give.",
    ),
    Equivalent(
        "_pki/building.py",
        "old: Certificate, key: PrivateKey, *, not_before: datetime, validity: timedelta, path_length: int | None",
        ("old: Certificate, key: PrivateKey, /, not_before: datetime, validity: timedelta, path_length: int | None",),
        "Its callers name what they give.",
    ),
    Equivalent(
        "_pki/requests.py",
        "def __init__(self, der: bytes, *, renews: bool) -> None:",
        ("def __init__(self, der: bytes, /, renews: bool) -> None:",),
        "Its callers name what they give.",
    ),
)

#: Module, line and changed line of each.
LISTED = frozenset(
    (equivalent.module, equivalent.before, after) for equivalent in EQUIVALENTS for after in equivalent.after
)
