"""Why a run went wrong: hypotheses from what was measured, and experiments that can refute them. Values, no words."""
