"""The colours of pages and pictures, by name, for light and dark.

Those of severities and of kinds of layers are from the palette of Okabe and Ito, which people tell apart whatever
colours they see; none of them is the only sign of what it means. Text on its ground has a contrast of 4.5 or more.
"""

LIGHT = {
    "ground": "#f6f7f9",
    "surface": "#ffffff",
    "text": "#1b1f24",
    "faint": "#57606a",
    "border": "#c9d1d9",
    "line": "#6e7781",
    "accent": "#0b5cad",
    "hover": "#e8f0fa",
    "error": "#b3261e",
    "warning": "#8a5a00",
    "info": "#0b5cad",
    "added": "#e6f4ea",
    "removed": "#fdeceb",
    "data": "#56b4e9",
    "weights": "#0072b2",
    "normalises": "#009e73",
    "activation": "#009e73",
    "window": "#cc79a7",
    "join": "#e69f00",
    "loss": "#d55e00",
    "other": "#8c959f",
    "unknown": "#8c959f",
    "module": "#57606a",
}
DARK = {
    "ground": "#0f1216",
    "surface": "#1a1f26",
    "text": "#e6edf3",
    "faint": "#a1abb7",
    "border": "#3a434e",
    "line": "#8b949e",
    "accent": "#7ab7ff",
    "hover": "#243040",
    "error": "#ff8a80",
    "warning": "#f2c04d",
    "info": "#7ab7ff",
    "added": "#12301c",
    "removed": "#3b1a1a",
    "data": "#56b4e9",
    "weights": "#3b9ae0",
    "normalises": "#2fbf95",
    "activation": "#2fbf95",
    "window": "#d996bd",
    "join": "#e6a93a",
    "loss": "#f08040",
    "other": "#8c959f",
    "unknown": "#8c959f",
    "module": "#a1abb7",
}


def variables() -> str:
    """The colours as CSS: for light, for dark, and light again for print."""
    light, dark = (" ".join(f"--{name}: {color};" for name, color in one.items()) for one in (LIGHT, DARK))
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )
