"""`python benchmarks/arena.py A B ...` is `advisor arena A B ...`: a match between two players; see docs/arena.md."""

import sys

from advisor.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "arena")
    main()
