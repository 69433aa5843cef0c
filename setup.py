"""Lists the packages, which setup.cfg's `find:` cannot do: `proto/` and `rules/` are installed below `caffelint`."""

from setuptools import find_packages, setup

folders = find_packages(include=["caffelint", "caffelint.*", "proto", "proto.*", "rules", "rules.*"])
setup(packages=[name if name.split(".")[0] == "caffelint" else f"caffelint.{name}" for name in folders])
