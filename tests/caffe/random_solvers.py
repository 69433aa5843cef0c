"""Random solvers, right and wrong, with their nets: which nets each has, and in which states it builds them."""

from __future__ import annotations

import random
from typing import NamedTuple

from caffelint.caffe.states import GENERIC_FIELDS, TEST_FIELDS, TRAIN_FIELDS

STAGES = ("deploy", "fast", "val")
LEVELS = (-1, 0, 1, 2)
_NOT_THERE = "not_there.prototxt"


class Project(NamedTuple):
    """A solver's text, and the texts of nets by their names."""

    solver: str
    files: dict[str, str]


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def project(self) -> Project:
        """About half of them load."""
        rng = self.random
        files = {f"net{number}.prototxt": self.net() for number in range(rng.choice([1, 1, 2, 3]))}
        trained = [rng.choice(TRAIN_FIELDS)]
        if self.chance(0.08):
            trained = rng.sample(TRAIN_FIELDS, rng.choice([0, 2, 2, 3]))
        tests = [rng.choice(TEST_FIELDS) for _ in range(rng.choice([0, 0, 1, 1, 2, 3]))]
        fields = [*trained, *tests]
        parts = [self.names_a_net(field, list(files)) for field in fields]
        instances = len(tests)
        if set(trained) & set(GENERIC_FIELDS):
            instances += rng.choice([0, 0, 1, 1, 2])
        parts += [f"test_iter: {rng.choice([0, 1, 7])}" for _ in range(self.about(instances))]
        if self.chance(0.5):
            parts += [f"test_state {{ {self.state()} }}" for _ in range(self.about(instances))]
        if self.chance(0.4):
            parts.append(f"train_state {{ {self.state()} }}")
        if self.chance(0.95 if instances else 0.3):
            parts.append(f"test_interval: {rng.choice([1, 10, 1000]) if self.chance(0.95) else rng.choice([0, -1])}")
        if self.chance(0.1):
            parts.append(f"average_loss: {rng.choice([1, 5, 0])}")
        rng.shuffle(parts)
        return Project(f'base_lr: 0.1 lr_policy: "fixed" snapshot_prefix: "x" {" ".join(parts)}', files)

    def about(self, number: int) -> int:
        """Mostly that number, which fits."""
        return max(0, number + self.random.choice([-1, 1])) if self.chance(0.08) else number

    def names_a_net(self, field: str, files: list[str]) -> str:
        if field.endswith("_param"):
            return f"{field} {{ {self.net()} }}"
        return f'{field}: "{_NOT_THERE if self.chance(0.03) else self.random.choice(files)}"'

    def net(self) -> str:
        """A net of layers that hang on the state; its layers may miss a bottom then, and Caffe stops."""
        rng = self.random
        parts = [f"state {{ {self.state()} }}"] if self.chance(0.3) else []
        parts.append('layer { name: "in" type: "Input" top: "b0" input_param { shape { dim: 1 dim: 2 } } }')
        for number in range(1, rng.choice([2, 3, 5])):
            bottom = rng.randrange(number) if self.chance(0.15) else 0
            rules = "".join(self.rules())
            parts.append(f'layer {{ name: "l{number}" type: "ReLU" bottom: "b{bottom}" top: "b{number}" {rules} }}')
        if self.chance(0.04):
            return (
                'input: "b0" input_dim: 1 input_dim: 2 input_dim: 3 input_dim: 4 layers { name: "o" type: RELU'
                ' bottom: "b0" top: "b1" include { phase: TEST } }'
            )
        return " ".join(parts)

    def rules(self) -> list[str]:
        kind = self.random.choice(["include", "exclude"])
        return [f"{kind} {{ {self.rule()} }}" for _ in range(self.random.choice([0, 1, 1, 2]))]

    def rule(self) -> str:
        rng = self.random
        parts = []
        if self.chance(0.5):
            parts.append(f"phase: {rng.choice(['TRAIN', 'TEST'])}")
        if self.chance(0.4):
            parts.append(f'{rng.choice(["stage", "not_stage"])}: "{rng.choice(STAGES)}"')
        if self.chance(0.1):
            parts.append(f'stage: "{rng.choice(STAGES)}"')
        if self.chance(0.2):
            parts.append(f"min_level: {rng.choice(LEVELS)}")
        if self.chance(0.2):
            parts.append(f"max_level: {rng.choice(LEVELS)}")
        return " ".join(parts)

    def state(self) -> str:
        rng = self.random
        parts = [f'stage: "{rng.choice(STAGES)}"' for _ in range(rng.choice([0, 1, 1, 2]))]
        if self.chance(0.4):
            parts.append(f"level: {rng.choice(LEVELS)}")
        if self.chance(0.1):
            parts.append(f"phase: {rng.choice(['TRAIN', 'TEST'])}")
        rng.shuffle(parts)
        return " ".join(parts)
