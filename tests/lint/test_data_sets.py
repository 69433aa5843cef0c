"""The data sets that paths name."""

from __future__ import annotations

import pytest

from caffelint.lint import known_data


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("examples/mnist/mnist_train_lmdb", ["MNIST"]),
        ("fashion-mnist_train_lmdb", ["Fashion-MNIST"]),
        ("FashionMNIST/train", ["Fashion-MNIST"]),
        ("emnist_letters_lmdb", ["EMNIST"]),
        ("data/SVHN/train.txt", ["SVHN"]),
        ("cifar100_train", ["CIFAR-100"]),
        ("/opt/DIGITS/digits/jobs/20180910-174320-7e9c/train_db", []),
        ("train_lmdb", []),
        ("data\\SVHN\\train_256x256_lmdb", ["SVHN"]),
        ("data/fashion/mnist_train_lmdb", ["Fashion-MNIST"]),
        # An example that somebody follows with other images.
        ("examples/imagenet/flowers_train_lmdb", []),
        ("data/ilsvrc12/cars/train.txt", []),
        ("examples/mnist/faces_lmdb", []),
        # Named after digits.
        ("sign_mnist_lmdb", []),
        ("skin-cancer-mnist/train", []),
    ],
)
def test_names(path: str, names: list[str]) -> None:
    assert [known.name for known in known_data(path)] == names
