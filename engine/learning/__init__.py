"""Learning the evaluation from self-play; see docs/training.md."""
