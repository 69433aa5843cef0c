"""Repositories with scripts and a solver: what their tests share."""

from __future__ import annotations

from caffelint.lint.config import Config
from caffelint.lint.project import scripts

SOLVER = 'train_net: "train.prototxt" base_lr: 0.1 lr_policy: "fixed"'


def clear() -> None:
    for remembered in (
        scripts._scripts,
        scripts._own,
        scripts.solvers_in,
        scripts._customs_of,
        scripts._by_name,
        scripts._by_file,
        scripts._judging,
        scripts._training_beside,
    ):
        remembered.cache_clear()


def uncached() -> Config:
    clear()
    config = Config()
    config.cache = False
    return config
