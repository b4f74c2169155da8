"""The policy files: loading, digest, conditions, sentences (packet body page, sections 3 and 4)."""

import json
import re
from pathlib import Path

from .canonical_json import canonical_bytes
from .digests import sha256_hex
from .numbers import number_text
from .sentence_formats import print_number

FILES = ("facts", "guidance", "lanes", "numbers", "reasons", "routes", "tags", "taxonomy", "texts", "versions")

_PLACE = re.compile(r"\{([a-z0-9_]+)(?:\|([a-z]+)(?::([a-z0-9_]+))?)?\}")

_COMPARE = {
    "eq": lambda value, operand: value == operand,
    "ne": lambda value, operand: value != operand,
    "gte": lambda value, operand: value >= operand,
    "gt": lambda value, operand: value > operand,
    "lte": lambda value, operand: value <= operand,
    "lt": lambda value, operand: value < operand,
    "in": lambda value, operand: value in operand,
    "has": lambda value, operand: operand in value,
    "lacks": lambda value, operand: operand not in value,
}


class PolicyFault(Exception):
    """A policy folder that cannot be read, or a packet word that the taxonomy lacks."""


def _read_file(path):
    """The object that a policy file holds."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as fault:
        raise PolicyFault(f"{path}: {fault}") from None
    if not isinstance(content, dict):
        raise PolicyFault(f"{path}: not a JSON object")
    return content


class Policy:
    """One version of the policy files. Facts are read through any object with `facts[name]`."""

    def __init__(self, files):
        missing = [name for name in FILES if name not in files]
        if missing:
            raise PolicyFault(f"policy files missing: {', '.join(missing)}")
        self.files = files
        self.numbers = files["numbers"]
        self.digest = sha256_hex(canonical_bytes(files))
        self.facts = {fact["name"]: fact for fact in files["facts"]["facts"]}
        self._terms = {kind: {term["value"]: term for term in terms} for kind, terms in files["taxonomy"].items()
                       if isinstance(terms, list)}

    @classmethod
    def load(cls, folder):
        """Reads every *.json of a folder; the digest covers each under its name without `.json`."""
        files = {path.stem: _read_file(path) for path in sorted(Path(folder).glob("*.json"))}
        try:
            return cls(files)
        except PolicyFault as fault:
            raise PolicyFault(f"{folder}: {fault}") from None

    def term(self, kind, value):
        """A taxonomy term; a word that its kind lacks refuses the packet."""
        term = self._terms.get(kind, {}).get(value)
        if term is None:
            raise PolicyFault(f"taxonomy {kind} has no {value}")
        return term

    def label(self, kind, value):
        """The label of a taxonomy term."""
        return self.term(kind, value)["label"]

    def holds(self, condition, facts):
        """Whether a condition holds over facts."""
        if "always" in condition:
            return True
        if "all" in condition:
            return all(self.holds(part, facts) for part in condition["all"])
        if "any" in condition:
            return any(self.holds(part, facts) for part in condition["any"])
        if "not" in condition:
            return not self.holds(condition["not"], facts)
        value = facts[condition["fact"]]
        (operator, operand), = ((key, operand) for key, operand in condition.items() if key != "fact")
        if operator in ("absent", "present"):
            return (value is None or value == []) == (operator == "absent")
        if isinstance(operand, dict):
            operand = facts[operand["fact"]]
        return value is not None and operand is not None and _COMPARE[operator](value, operand)

    def sentence(self, text, facts):
        """The sentence with its places filled, or None where a fact that it prints is null or an empty list."""
        parts, end = [], 0
        for place in _PLACE.finditer(text):
            printed = self._print(place[1], place[2], place[3], facts)
            if printed is None:
                return None
            parts += [text[end:place.start()], printed]
            end = place.end()
        return "".join(parts) + text[end:]

    def _print(self, name, form, other, facts):
        value = facts[name]
        if value is None or value == []:
            return None
        if form == "label":
            return self.label(self.facts[name]["taxonomy"], value)
        if form == "list":
            labels = [self.label(self.facts[name]["taxonomy"], word) for word in value]
            return " and ".join([", ".join(labels[:-1])] * (len(labels) > 1) + labels[-1:])
        if form:
            return print_number(form, name, value, facts[other] if other else None)
        return value if isinstance(value, str) else number_text(value)

    def sentences(self, table, facts):
        """Of a table of sentences, all whose condition holds and which exist, in file order."""
        for entry in table:
            if self.holds(entry["when"], facts):
                text = self.sentence(entry["text"], facts)
                if text is not None:
                    yield text

    def first_sentence(self, table, facts):
        """The first of them, or the empty string."""
        return next(self.sentences(table, facts), "")

    def values(self, table, facts):
        """Of a table of values, every value whose condition holds."""
        return [entry["value"] for entry in table if self.holds(entry["when"], facts)]

    def tags(self, groups, facts):
        """The tags that groups give, in file order (packet body page, section 5)."""
        tags = []
        for group in groups:
            if "value_of" in group:
                word = facts[group["value_of"]]
                values = [] if word is None else [word]
            else:
                values = self.values(group["values"], facts)
                if group["pick"] == "first":
                    values = values[:1]
            tail = [group["horizon"]] if "horizon" in group else []
            tags += [":".join([group["family"], value] + tail) for value in values]
        return tags

    def counted(self, tags):
        """The tags whose family is not in `tags.not_counted`."""
        return [tag for tag in tags if tag.split(":")[0] not in self.files["tags"]["not_counted"]]
