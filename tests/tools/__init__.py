"""Tools that tests use and that run them: the operator double, the test bed, the meters, the demo, the document generator.

Nothing here tests the collection; the few ``test_*.py`` files in these folders test the tools themselves.
"""
