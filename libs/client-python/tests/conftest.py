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
    """Each shared case of a part, which the tests of the TypeScript client run too."""
    return pytest.mark.parametrize("case", CASES[part], ids=[str(case.get("name", at)) for at, case in enumerate(CASES[part])])


@pytest.fixture(scope="session")
def names() -> dict[str, str]:
    """Where each operation is, as `tools/generate/client-names.mjs` has it."""
    text = (ROOT / "tools/generate/client-names.mjs").read_text("utf-8")
    return dict(re.findall(r"^  (\w+): '([\w.]+)',$", text, re.MULTILINE))


@pytest.fixture(params=[Sync, Async], ids=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param()
