"""Jaipur as numbers: the rules, what a player knows, the search, and the learning behind it."""

from engine import cache

cache.use()
