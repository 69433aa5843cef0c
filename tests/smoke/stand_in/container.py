"""Stands in for `docker run -v FOLDER:FOLDER -w FOLDER IMAGE python SCRIPT ...`: nothing else is there.

`container.py FOLDER PYTHON SCRIPT JOB` runs PYTHON without the environment of the host, and that PYTHON opens no file
of the host's but in FOLDER: whatever lies neither there nor with the Python itself is not there. Of files that Caffe
opens itself nothing is seen here.
"""

import os
import sys

INSIDE = """
import sys
folder, own, script = sys.argv[1:4]
sys.argv = sys.argv[3:]
sys.path[0] = folder + "/" + ".".join(script.split("/")[-2:-1])
def hook(event, values):
    if event == "open" and isinstance(values[0], str) and values[0].startswith("/"):
        allowed = (folder + "/", "/proc/", "/dev/", "/usr/", "/lib", "/etc/", own, sys.prefix)
        if not values[0].startswith(allowed):
            raise FileNotFoundError(2, "not in this container", values[0])
sys.addaudithook(hook)
import runpy
runpy.run_path(script, run_name="__main__")
"""


def main() -> None:
    folder, python, script, job = sys.argv[1:]
    for path in (script, job):
        if not path.startswith(folder + "/"):
            sys.exit(f"{python}: can't open file '{path}': [Errno 2] No such file or directory")
    os.chdir(folder)
    environment = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    if "STAND_IN" in os.environ:
        environment["PYTHONPATH"] = os.environ["STAND_IN"]
        os.execve(python, [python, script, job], environment)
    own = os.path.dirname(os.path.realpath(python))
    os.execve(python, [python, "-c", INSIDE, folder, own, script, job], environment)


main()
