from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from clients import Async, Sync

ROOT = Path(__file__).resolve().parents[3]
CASES = json.loads((ROOT / "libs/client/tests/cases.json").read_text("utf-8"))


def cases(part: str) -> Any:
    """Shared cases of a part, which the TypeScript client also runs."""
    return pytest.mark.parametrize("case", CASES[part], ids=[str(case.get("name", at)) for at, case in enumerate(CASES[part])])


@pytest.fixture(scope="session")
def names() -> dict[str, str]:
    """Groups of operations from `tools/generate/client-names.mjs`."""
    text = (ROOT / "tools/generate/client-names.mjs").read_text("utf-8")
    return dict(re.findall(r"^  (\w+): '([\w.]+)',$", text, re.MULTILINE))


@pytest.fixture(params=[Sync, Async], ids=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param()
