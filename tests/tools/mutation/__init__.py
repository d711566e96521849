"""Mutations of ``_trust`` and ``_pki``: each is a small mistake, and a unit test has to notice it (``make mutation``)."""
