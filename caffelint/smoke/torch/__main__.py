"""`python -m caffelint.smoke.torch JOB.json [--device cpu|cuda:N]`: the torch engine as a child process."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path

from caffelint.smoke import stacks
from caffelint.smoke.events import Crashed, Event, PythonLayer, Trying, Waiting, claim_stdout, emit
from caffelint.smoke.job import SERVES, TRAINS, Job

USAGE = "usage: python -m caffelint.smoke.torch JOB.json [--device cpu|cuda:N]"


def main(arguments: list[str]) -> int:
    if len(arguments) not in (1, 3) or arguments[1:2] not in ([], ["--device"]):
        sys.stderr.write(USAGE + "\n")
        return 2
    job = Job.from_json(Path(arguments[0]).read_text(encoding="utf-8"))
    if job.mode == SERVES:
        return serve(job, arguments[1:])
    stream = claim_stdout()
    if len(arguments) == 3:
        job = replace(job, device=arguments[2])
    # Threads that spin while they wait take the time of those that work, as soon as anything else runs here too.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from caffelint.smoke.torch.engine import run

    stacks.watch(job.timeout)  # type: ignore[no-untyped-call]

    kind = None
    if job.mode != TRAINS:
        from caffelint.smoke.torch.modes import MODES

        kind = MODES[job.mode]

    def tell(event: Event) -> None:
        emit(event, stream)
        stacks.moved()  # type: ignore[no-untyped-call]

    try:
        run(job, tell, kind)
    except Exception as error:
        traceback.print_exc()
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = "".join(traceback.format_exception_only(error)).strip().splitlines()
        emit(PythonLayer("", said[-1] if said else "", place.filename, place.lineno or 0), stream)
        return 1
    return 0


def serve(job: Job, device: list[str]) -> int:
    """The job `main`, if any, then those that the file `more` names, each in a process of its own with torch loaded."""
    import caffelint.smoke.torch.engine  # noqa: F401

    if job.main and (status := _apart([job.main, *device])):
        if os.WIFSIGNALED(status):
            os.kill(os.getpid(), os.WTERMSIG(status))
        return os.WEXITSTATUS(status)
    emit(Waiting(), sys.stdout)
    while not os.path.exists(job.more):
        time.sleep(0.01)
    for number, path in enumerate(json.loads(Path(job.more).read_text(encoding="utf-8"))["jobs"]):
        emit(Trying(number), sys.stdout)
        status = _apart([path, *device])
        if os.WIFSIGNALED(status):
            emit(Crashed(-os.WTERMSIG(status), ""), sys.stdout)
    return 0


def _apart(arguments: list[str]) -> int:
    """Run a job in a process of its own; how that ended."""
    child = os.fork()
    if not child:
        os._exit(main(arguments))
    return os.waitpid(child, 0)[1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
