"""One file with lines of every schema, as a dump of a running system holds them."""

import io
import json
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

import label
from labeler.policy import Policy
from labeler.rows import read_rows
from tests.awkward_rows import Log


class MixedLines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.policy = Policy.load(label.POLICY)
        cls.rows = list(Log(3).rows(30))
        packets = label.packets(cls.write("rows.ndjson", cls.rows), cls.policy)
        cls.packets = [{"schema": "market_state_packet_row.v1", "closing_ordinal": None, **packet} for packet in packets]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write(cls, name, lines):
        path = Path(cls.folder.name) / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    def compared(self, packets):
        """What the comparison of a mixed file with itself says."""
        others = [{"schema": "market_state_signing_key.v1"}, {"schema": "market_state_checkpoint.v1"}]
        path = self.write("dump.ndjson", others + self.rows + packets)
        printed = io.StringIO()
        with redirect_stdout(printed):
            code = label.compare(path, path, self.policy)
        return code, printed.getvalue().splitlines()

    def test_lines_of_other_schemas_are_passed_over(self):
        path = self.write("mixed.ndjson", [self.packets[0], *self.rows, {"schema": "market_state_checkpoint.v1"}])
        self.assertEqual([row for _, row in read_rows(path)], self.rows)

    def test_a_file_is_compared_with_itself(self):
        self.assertEqual(self.compared(self.packets), (0, [
            f"{len(self.packets)} packets equal in every digest, 0 differ, 0 only recomputed, 0 only published"]))

    def test_rows_may_go_on_after_the_newest_packet_and_no_packet_may_lack_before_it(self):
        total = len(self.packets)
        self.assertEqual(self.compared(self.packets[:-2]), (0, [
            f"{total - 2} packets equal in every digest, 0 differ, 0 only recomputed, 0 only published",
            "2 recomputed after the newest published: nothing to compare with"]))
        code, printed = self.compared(self.packets[:1] + self.packets[2:])
        self.assertEqual(code, 1)
        self.assertIn("0 differ, 1 only recomputed", printed[-1])


if __name__ == "__main__":
    unittest.main()
