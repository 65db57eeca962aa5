"""A backend of networkx: its functions for communities, by powercut's search.

networkx finds `info` and `backend` by entry points. It loads the first whenever it is imported, so
that one imports nothing; the second when it is used.
"""
