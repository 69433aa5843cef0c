"""The public API for rules, and the engine that runs them.

A rule imports from here alone. The names are those of `caffelint.lint.api`, which is imported when one of them is first
asked for: with stored results, a check needs none.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caffelint.lint.api import *  # noqa: F403
    from caffelint.project.mentions import Asked as Asked
    from caffelint.project.mentions import Channels as Channels

    # Rules name these only as types. To read Python takes time at the start, and few nets need it.
    from caffelint.project.mentions import Fed as Fed
    from caffelint.project.mentions import Made as Made
    from caffelint.project.mentions import Supplied as Supplied
    from caffelint.project.python_faults import PythonFault as PythonFault
    from caffelint.project.python_layers import PythonClass as PythonClass
    from caffelint.project.python_orders import Apart as Apart
    from caffelint.project.python_repeats import RepeatedArray as RepeatedArray
    from caffelint.project.python_views import ChangedView as ChangedView
else:

    def __getattr__(name: str) -> object:
        import caffelint.lint.api as api

        value = getattr(api, name)
        globals()[name] = value  # from now on it is found without coming here
        return value

    def __dir__() -> list[str]:
        import caffelint.lint.api as api

        return [name for name in dir(api) if not name.startswith("_")]
