"""The libraries that runs and data need, and what brings them."""

LIBRARIES = {
    "numpy": ("numpy", "smoke", "the torch engine and all synthetic data"),
    "torch": ("torch", "smoke", "the torch engine"),
    "lmdb": ("lmdb", "data", "LMDB"),
    "plyvel": ("plyvel", "data", "LevelDB"),
    "h5py": ("h5py", "data", "HDF5"),
    "PIL": ("pillow", "data", "image lists and encoded records"),
    "matplotlib": ("matplotlib", "plot", "--plot"),
}
"""By the name to import: the package, caffelint's extra that brings it, and what needs it."""
