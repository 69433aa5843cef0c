"""Makes the net for deployment out of the text of the training net, and compares one that somebody made by hand."""

from caffelint.fix.deploy.compare import Difference, compare
from caffelint.fix.deploy.make import Deployed, DeployError, deploy

__all__ = ["DeployError", "Deployed", "Difference", "compare", "deploy"]
