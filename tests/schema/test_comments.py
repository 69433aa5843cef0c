from __future__ import annotations

from caffelint.schema.comments import comment
from caffelint.schema.messages import LayerParameter
from caffelint.schema.pool import read_data


def test_every_trailing_comment_is_found() -> None:
    lines = read_data("caffe.proto").decode().splitlines()
    told = {line.split("//", 1)[1].strip() for line in lines if "//" in line and line.split("//")[0].strip()}
    messages = {field.message_type for field in LayerParameter.DESCRIPTOR.fields if field.message_type}
    names = [
        f"{message.full_name.partition('.')[2]}.{field.name}"
        for message in (LayerParameter.DESCRIPTOR, *messages)
        for field in message.fields
    ]
    found = [comment(name) for name in names]
    assert sum(any(one and one in text for one in told) for text in found) > 90


def test_what_is_said_of_a_field_a_message_a_value_and_a_fork_s_field() -> None:
    assert comment("ConvolutionParameter.num_output") == "channels of the top"
    assert comment("NetStateRule.phase") == "unset: any"
    assert "fixed      base_lr" in comment("SolverParameter.lr_policy")
    assert comment("FillerParameter.VarianceNorm.FAN_IN") == "values that reach one output"
    assert comment("SolverParameter.eval_type") == '"classification" or "detection"'
    assert comment("Nothing.at_all") == ""
