"""What O019 says to put in place of the blob that a loss gets twice."""

from __future__ import annotations

import caffelint

NET = """
layer { name: "data" type: "Data" top: "data" top: "label" }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 2 } }
layer { name: "aux" type: "SoftmaxWithLoss" bottom: "fc" bottom: "other" top: "aux" }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "fc" top: "loss" }
layer { name: "later" type: "Power" bottom: "data" top: "later" }
"""


def messages(text: str) -> list[str]:
    return [one.message for one in caffelint.check_text(text).findings if one.name == "loss-given-blob-twice"]


def test_a_loss_is_no_target_of_another() -> None:
    """What other losses give is read by nobody, as is what is made later."""
    (message,) = messages(NET)
    assert message.endswith('give it another one, such as "label", which no layer reads')


def test_there_is_nothing_to_name_where_two_blobs_are_read_by_nobody() -> None:
    (message,) = messages(NET.replace('top: "data" top: "label"', 'top: "data" top: "label" top: "weight"'))
    assert message.endswith("give it another one")
