"""Runs several jobs in processes of their own, all of which begin with Python and caffe loaded.

Needs only Python 2.7 or 3. It is copied beside runner.py, and given its `main`.
"""

# mypy: ignore-errors

import json
import os
import signal
import time


def serve(job, main):
    """The job `main`, if any, then those that the file `more` names, each in a process of its own with caffe loaded."""
    signal.alarm(int(job["timeout"]) + 60 if job["timeout"] else 0)
    import caffe  # noqa: F401

    if job["main"]:
        end_as(apart(main, job["main"]))
    say(event="waiting")
    while not os.path.exists(job["more"]):
        time.sleep(0.01)
    with open(job["more"]) as file:
        more = json.load(file)
    signal.alarm(int(more["seconds"]) + 30)
    for number, path in enumerate(more["jobs"]):
        say(event="trying", number=number)
        status = apart(main, path)
        if os.WIFSIGNALED(status):
            say(event="crashed", status=-os.WTERMSIG(status), text="")
    os._exit(0)


def say(**event):
    os.write(1, (json.dumps(event) + "\n").encode("ascii"))


def apart(main, path):
    """Run a job in a process of its own; how that ended."""
    child = os.fork()
    if not child:
        main(path)
    return os.waitpid(child, 0)[1]


def end_as(status):
    """End this process as that one ended, unless all went well."""
    if os.WIFSIGNALED(status):
        os.kill(os.getpid(), os.WTERMSIG(status))
        time.sleep(10)
    if status:
        os._exit(os.WEXITSTATUS(status))
