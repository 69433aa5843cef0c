from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule
from caffelint.lint import INFO, TRAIN, WARNING, Cause, Finding, Invalid, title

from ._example import NET, SOUND, records
from ._words import counted, once, path


class RecordsUnlikeIterations(DatasetRule):
    """A test pass does not read each record once, or a batch is larger than the whole source.

    ## Why is this bad?
    A test pass reads `test_iter * batch_size` records. If that is less than there are, the rest is never tested; what
    is read goes on where the last pass ended, so that two accuracies are of different records. If it is more, some
    count more than once. A batch that is larger than the source holds records twice.

    ## References
    - solver.cpp, Test; data_layer.cpp, Next
    """

    code = "E115"
    name = "records-unlike-iterations"
    severity = WARNING
    _SOLVER = 'net: "net.prototxt" test_iter: 3 test_interval: 10 max_iter: 100'
    VALID = [SOUND, {"s.prototxt": _SOLVER, "net.prototxt": NET, "train_lmdb": records(*[0, 1, 2] * 4)}]
    INVALID = [
        Invalid(
            {"s.prototxt": _SOLVER, "net.prototxt": NET, "train_lmdb": records(*[0, 1, 2] * 12)},
            span="test_iter: 3",
            message='test_iter 3 with batch_size 4 reads 12 of the 36 records of "train_lmdb", so 24 are not tested;'
            " set test_iter: 9",
        ),
        Invalid(
            {"net.prototxt": NET, "train_lmdb": records(0, 1, 2)},
            span="batch_size: 4",
            message='Data "data": batch_size 4 is larger than "train_lmdb", which has 3 records, so a batch holds some'
            " of them twice; set batch_size: 3",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        yield from self._tests(data)
        for feed, facts in once(data):
            batch, total = feed.made.batch_size, facts.total
            block = feed.layer.kind.data_block
            if block and 0 < total < batch and (TRAIN in feed.phases or data.solver is None):
                yield self.finding(
                    feed.layer.at(block, "batch_size"),
                    f"{title(feed.layer)}: batch_size {batch} is larger than {path(feed)}, which has {counted(total)},"
                    f" so a batch holds some of them twice; set batch_size: {total}",
                    phases=feed.phases,
                )

    def _tests(self, data: DataEvidence) -> Iterator[Finding]:
        for build, net, state in data.solver.builds if data.solver else ():
            if build.test is None or build.iterations <= 0 or data.solver is None:
                continue
            for feed, facts in data.read:
                batch, total = feed.made.batch_size, facts.total
                if feed.net is not net or state not in feed.built.states or not batch or not total:
                    continue
                read, enough = build.iterations * batch, -(-total // batch)
                if total - batch < read < total + batch:
                    continue
                what = f"test_iter {build.iterations} with batch_size {batch} reads"
                what += f" {read:,} of the {counted(total)} of {path(feed)}"
                what += f", so {total - read:,} are not tested" if read < total else ", so some count more than once"
                is_far = read < total / 2 or read > 2 * total
                yield self.finding(
                    data.solver.at("test_iter", build.test),
                    f"{what}; set test_iter: {enough}",
                    cause=Cause("phases", what, f"set test_iter: {enough}"),
                    severity=WARNING if is_far else INFO,
                )
