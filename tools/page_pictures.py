#!/usr/bin/env python3
"""Writes the pictures of docs/report.md: a real page of `tools/sample_net.py`, as Chromium shows it.

make pictures
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from sample_net import write_sample

from caffelint.cli.main import main

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs/pictures"


def pictures() -> int:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sample(folder)
        os.chdir(folder)
        if status := main(["report", "solver.prototxt", "--isolated"]):
            return status
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport={"width": 1200, "height": 760}, color_scheme=scheme)
                page.goto((folder / "report.html").as_uri())
                page.fill("#find", "res3b_branch2b")
                page.press("#find", "Enter")
                page.click("#zoom-out")
                page.screenshot(path=PICTURES / f"report-net-{scheme}.png")
                for tab in ("findings", "schedule") if scheme == "light" else ():
                    page.click(f"#tab-{tab}")
                    page.screenshot(path=PICTURES / f"report-{tab}.png")
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(pictures())
