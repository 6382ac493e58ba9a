"""Jaipur as words: positions, records, advice, reports and commands."""
