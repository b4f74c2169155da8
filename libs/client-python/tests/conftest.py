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
    """Group and method of each operation: listed in `tools/generate/client-names.mjs`, or following from its tag."""
    text = (ROOT / "tools/generate/client-names.mjs").read_text("utf-8")
    listed = dict(re.findall(r"^  (\w+): '([\w.]+)',$", text, re.MULTILINE))
    document = json.loads((ROOT / "apps/gateway/openapi/openapi.json").read_text("utf-8"))
    operations = [each for methods in document["paths"].values() for each in methods.values() if "x-twin-of" not in each]
    return {each["operationId"]: listed.get(each["operationId"]) or name_by_tag(each) for each in operations}


def name_by_tag(operation: dict[str, Any]) -> str:
    """`getDataRights` of the tag `data` is `data.rights`."""
    tag, noun = operation["tags"][0], re.sub("^(get|list)", "", operation["operationId"])
    own = re.sub(f"^{tag.capitalize()}(?=[A-Z])", "", noun)
    return f"{tag}.{own[0].lower()}{own[1:]}"


@pytest.fixture(params=[Sync, Async], ids=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param()
