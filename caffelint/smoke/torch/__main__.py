"""`python -m caffelint.smoke.torch JOB.json [--device cpu|cuda:N]`: the torch engine as a child process."""

from __future__ import annotations

import os
import sys
import traceback
from dataclasses import replace
from pathlib import Path

from caffelint.smoke.events import PythonLayer, claim_stdout, emit
from caffelint.smoke.job import TRAINS, Job

USAGE = "usage: python -m caffelint.smoke.torch JOB.json [--device cpu|cuda:N]"


def main(arguments: list[str]) -> int:
    if len(arguments) not in (1, 3) or arguments[1:2] not in ([], ["--device"]):
        sys.stderr.write(USAGE + "\n")
        return 2
    stream = claim_stdout()
    job = Job.from_json(Path(arguments[0]).read_text(encoding="utf-8"))
    if len(arguments) == 3:
        job = replace(job, device=arguments[2])
    # Threads that spin while they wait take the time of those that work, as soon as anything else runs here too.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from caffelint.smoke.torch.engine import run

    kind = None
    if job.mode != TRAINS:
        from caffelint.smoke.torch.modes import MODES

        kind = MODES[job.mode]
    try:
        run(job, lambda event: emit(event, stream), kind)
    except Exception as error:
        traceback.print_exc()
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = "".join(traceback.format_exception_only(error)).strip().splitlines()
        emit(PythonLayer("", said[-1] if said else "", place.filename, place.lineno or 0), stream)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
