"""The loss of SSD: boxes matched to objects, hard negatives mined, then a loss of places and one of classes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as functional

from caffelint.smoke.torch.base import FLT_MIN, TorchLayer, register

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.layers import BuiltLayer

L2, LOGISTIC, BIPARTITE = 0, 1, 0
MINE_NONE, MAX_NEGATIVE = 0, 1
CORNER, CENTER_SIZE, CORNER_SIZE = 1, 2, 3
FULL, VALID, BATCH_SIZE = 0, 1, 2
LEAST_OVERLAP = 1e-6
ITEM, LABEL, BOX, DIFFICULT = 0, 1, slice(3, 7), 7


def overlaps(boxes: Tensor, objects: Tensor) -> Tensor:
    """Boxes x objects: intersection over union (bbox_util.cpp JaccardOverlap)."""
    low = torch.maximum(boxes[:, None, :2], objects[None, :, :2])
    high = torch.minimum(boxes[:, None, 2:], objects[None, :, 2:])
    inner = (high - low).clamp(min=0).prod(-1)
    sizes = [(both[:, 2:] - both[:, :2]).prod(-1) for both in (boxes, objects)]
    return inner / (sizes[0][:, None] + sizes[1] - inner).clamp(min=FLT_MIN)


def match(overlap: Tensor, threshold: float | None) -> tuple[Tensor, Tensor]:
    """The object of each box, -1 where none, and its greatest overlap (bbox_util.cpp MatchBBox).

    Each object gets the box that overlaps it most, one pair after the other; then, with a threshold, each box that is
    left the object that it overlaps most.
    """
    overlap = torch.where(overlap > LEAST_OVERLAP, overlap, 0)
    boxes, objects = overlap.shape
    found = torch.full((boxes,), -1, dtype=torch.long, device=overlap.device)
    if not objects:
        return found, overlap.new_zeros(boxes)
    most, nearest = overlap.max(1)
    free = overlap.clone()
    for _ in range(objects):
        best = int(free.argmax())
        if free.view(-1)[best] <= 0:
            break
        found[best // objects] = best % objects
        free[best // objects] = 0
        free[:, best % objects] = 0
    if threshold is not None:
        found = torch.where((found < 0) & (most >= threshold) & (most > 0), nearest, found)
    return found, most


def encoded(objects: Tensor, priors: Tensor, variances: Tensor, code: int) -> Tensor:
    """What a network should predict for a box on an object (bbox_util.cpp EncodeBBox)."""
    size = priors[:, 2:] - priors[:, :2]
    if code == CORNER:
        target = objects - priors
    elif code == CORNER_SIZE:
        target = (objects - priors) / size.repeat(1, 2)
    else:
        centre = ((objects[:, :2] + objects[:, 2:]) - (priors[:, :2] + priors[:, 2:])) / 2 / size
        target = torch.cat([centre, ((objects[:, 2:] - objects[:, :2]) / size).log()], 1)
    return target / variances


@register
class MultiBoxLoss(TorchLayer):
    """multibox_loss_layer.cpp. Bottoms: places N x 4P, scores N x CP, P priors with variances, objects of 8 values."""

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        p = spec.parameters
        if not p.share_location or not p.use_prior_for_matching:
            return "places of each class apart, and matching by prediction, are not written for torch"
        if p.mining_type not in (MINE_NONE, MAX_NEGATIVE) and not p.HasField("do_neg_mining"):
            return "this mining_type is not written for torch"
        if len(spec.bottoms) != 4 or p.HasField("ori_flag") or p.HasField("objectness_score"):
            return "a fork's variant that is not known here"
        places, scores, priors = (blob.shape for blob in spec.bottoms[:3])
        if places is None or scores is None or priors is None:
            return None
        boxes = prod(priors[1:]) // 8
        if prod(places[1:]) != 4 * boxes or prod(scores[1:]) != p.num_classes * boxes:
            # multibox_loss_layer.cpp Reshape
            return (
                f"it has {boxes} prior boxes, but {prod(places[1:]) // 4} places and scores of"
                f" {prod(scores[1:]) // max(1, p.num_classes)}, where Caffe ends the run"
            )
        return None

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        p = self.p
        number = bottoms[0].shape[0]
        places = bottoms[0].reshape(number, -1, 4)
        scores = bottoms[1].reshape(number, places.shape[1], int(p.num_classes))
        priors, variances = bottoms[2].detach().reshape(2, -1, 4)
        if p.encode_variance_in_target:
            variances = torch.ones_like(variances)
        rows = bottoms[3].detach().reshape(-1, 8)
        background = int(p.background_label_id)
        mines = (p.do_neg_mining if p.HasField("do_neg_mining") else p.mining_type) != MINE_NONE
        threshold = None if p.match_type == BIPARTITE else p.overlap_threshold
        matches = 0
        wanted_places, given_places, kept_scores, kept_labels = [], [], [], []
        for item in range(number):
            of_item = rows[rows[:, ITEM] == item]
            if not p.use_difficult_gt:
                of_item = of_item[of_item[:, DIFFICULT] == 0]
            classes = of_item[:, LABEL].long()
            if classes.numel() and not 0 <= int(classes.min()) <= int(classes.max()) < scores.shape[2]:
                raise self.error(f"an object of class {int(classes.max())} is not one of the {scores.shape[2]} classes")
            found, most = match(overlaps(priors, of_item[:, BOX]), threshold)
            matched = found >= 0
            objects = found[matched]
            matches += objects.numel()
            given_places.append(places[item][matched])
            wanted_places.append(encoded(of_item[objects][:, BOX], priors[matched], variances[matched], p.code_type))
            labels = torch.full_like(found, background)
            labels[matched] = classes[objects]
            kept = matched
            if mines:
                candidates = (~matched & (most < p.neg_overlap)).nonzero().flatten()
                losses = self._class_losses(scores[item][candidates].detach(), labels[candidates])
                hard = losses.sort(descending=True, stable=True).indices
                hard = hard[: int(objects.numel() * p.neg_pos_ratio)]
                kept = matched.clone()
                kept[candidates[hard]] = True
            else:
                kept = torch.ones_like(matched)
            kept_scores.append(scores[item][kept])
            kept_labels.append(labels[kept])
        difference = torch.cat(given_places) - torch.cat(wanted_places)
        if p.loc_loss_type == L2:
            place_loss = difference.square().sum() / 2
        else:
            place_loss = functional.smooth_l1_loss(difference, torch.zeros_like(difference), reduction="sum")
        class_loss = self._class_losses(torch.cat(kept_scores), torch.cat(kept_labels)).sum()
        divisor = self._divisor(number, places.shape[1], matches)
        return [(place_loss * p.loc_weight + class_loss) / divisor]

    def _class_losses(self, scores: Tensor, labels: Tensor) -> Tensor:
        """The loss of each box."""
        if self.p.conf_loss_type == LOGISTIC:
            wanted = functional.one_hot(labels, scores.shape[1]).to(scores.dtype)
            return functional.binary_cross_entropy_with_logits(scores, wanted, reduction="none").sum(1)
        return functional.cross_entropy(scores, labels, reduction="none")

    def _divisor(self, number: int, priors: int, matches: int) -> int:
        loss = self.spec.message.loss_param
        mode = loss.normalization
        if loss.HasField("normalize") and not loss.HasField("normalization"):
            mode = VALID if loss.normalize else BATCH_SIZE
        return max(1, {FULL: number * priors, VALID: matches, BATCH_SIZE: number}.get(mode, 1))
