"""A networkx backend: its community functions, with the search of powercut.

networkx finds `info` and `backend` by entry points. It loads `info` whenever it is imported, so
`info` imports nothing else; it loads `backend` when the backend is used.
"""
