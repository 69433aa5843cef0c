"""Words in a command that trains that are of no option: Caffe prints its usage then, and does nothing else."""

from __future__ import annotations

from caffelint.text.patterns import compiled_later

TRAINS = compiled_later(r"\bcaffe(?:\.bin)?[\"']?[ \t]{1,9}train(?![\w-])")
_OTHER = compiled_later(r"\b(?:echo|printf|alias|grep|screen|tmux|ssh|docker)\b")
_TOKEN = compiled_later(r"(?:[^\s\"'\\;|&<>()`]|\\.|\"[^\"]*\"|'[^']*')+|[;|&<>()`\"']")
_OPTION = compiled_later(r"--?([A-Za-z]\w{0,60})(=?)")
_WORD = compiled_later(r"\$|[\w./:+@%,]{1,200}")
_WITH_VALUE = frozenset(
    (
        *("gpu", "solver", "model", "phase", "level", "stage", "snapshot", "weights", "iterations", "sigint_effect"),
        *("sighup_effect", "log_dir", "stderrthreshold", "minloglevel", "v", "vmodule"),
    )
)
"""Options that take the next word: tools/caffe.cpp, and those of glog."""


def stray_word(command: str) -> str:
    """The first word of no option; empty if none, or if that is not sure: tools/caffe.cpp, main (argc == 2)."""
    begins = TRAINS.search(command)
    if not begins or _OTHER.search(command, 0, begins.start()):
        return ""
    words: list[str] = []
    is_value = False
    for found in _TOKEN.finditer(command, begins.end()):
        token = found[0]
        if token in ("'", '"'):
            return ""
        if len(token) == 1 and token in ";|&<>()`":
            if words and command[found.start() - 1] not in " \t" and (token == "(" or words[-1].isdigit()):
                words.pop()
            break
        option = None if is_value else _OPTION.match(token)
        if option:
            if not option[2] and option[1] not in _WITH_VALUE:
                return ""
            is_value = not option[2]
        else:
            if not is_value and _WORD.fullmatch(token):
                words.append(token)
            is_value = False
    return words[0] if words else ""
