# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """The options about the form of a new CA."""

    DOCUMENTATION = r"""
options:
  validity_days:
    description:
      - Validity of new certificates in days. Where it is not given, as long as C(spec.clusterCa.validityDays) of the Kafka resource says, or
        C(spec.clientsCa.validityDays); 365 where that says nothing.
      - It has to be a week longer than C(renewalDays) beside it, or the Cluster Operator would issue each certificate anew as soon as it is there.
    type: int
  key_algorithm:
    description:
      - Algorithm of a new CA key. RSA for a new CA where it is not given.
      - A call that finds the CA made already, by a flow in flight or one that has just ended, is refused where it asks for another algorithm, size
        or path length than that has; once the flow has ended, also for another validity.
    type: str
    choices: [rsa, ecdsa]
  key_size:
    description:
      - Bits of a new RSA key - V(2048), V(3072), V(4096) (the default) or V(8192); or of the ECDSA curve - V(256) (the default) or V(384).
    type: int
  path_length:
    description:
      - Path length constraint of a new or renewed CA. Where it is not given, a new CA has 1, which leaves room for one CA below it, and a renewed
        one keeps what it has; but 0 becomes 1 where its certificates carry chains, because clients that know only it could not be led on to
        the next CA else.
    type: int
  certificate:
    description:
      - CA certificate in PEM form, with its chain after it, to be used instead of a generated one.
      - Nothing is done when it is in use already, however long ago it was put there.
      - It has the form that it has, so O(key_algorithm), O(key_size) and O(path_length) are refused beside it where they ask for another one.
      - A renewal needs one with the name and key of the CA in use, a replacement one with another key.
      - To give it is to confirm it. Not together with O(ca_source).
    type: str
  certificate_from:
    description:
      - A Secret of the type C(kubernetes.io/tls) with the CA, such as cert-manager writes for a Certificate that is a CA, to be used like O(certificate) and
        O(private_key). Its key is in no option, variable or file.
      - C(tls.crt) holds the CA with its chain; where the chain ends below the CA in C(ca.crt), that follows. Without C(tls.key)
        O(issuer) has to sign its certificates.
      - The Secret is read, and stays as it is. When another CA comes to lie there, nothing happens until the CA is renewed or replaced.
    type: dict
    suboptions:
      secret: {description: The name of the Secret., type: str, required: true}
      namespace: {description: Its namespace. That of the cluster where it is not given., type: str}
  private_key:
    description:
      - Private key of O(certificate), unencrypted, in PEM form. Without it the collection has O(issuer) sign
        the certificates of this CA.
    type: str
"""
