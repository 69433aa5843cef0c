"""Read by the Python of a real Caffe as it starts: `import caffe` then takes a third of the time.

Two thirds go into scikit-image and SciPy, for three functions that caffe/io.py has and hardly anybody calls. They are
imported once one is called.
"""

import importlib
import sys
import types

LATER = ("skimage", "skimage.io", "skimage.transform", "scipy", "scipy.ndimage")


class Later(types.ModuleType):
    """Stands for a module until something of it is called."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*arguments, **named):
            for other in LATER:
                if isinstance(sys.modules.get(other), Later):
                    del sys.modules[other]
            return getattr(importlib.import_module(self.__name__), name)(*arguments, **named)

        return call


for module in LATER:
    sys.modules[module] = Later(module)
    sys.modules[module].__path__ = []
