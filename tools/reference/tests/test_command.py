"""The command: what it says of input that is none, and what becomes of it when nobody reads."""

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import label
from tests.awkward_rows import Log


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def rows(self, windows):
        return self.write("rows.ndjson", "".join(json.dumps(row) + "\n" for row in Log(3).rows(windows)).encode())

    def refused(self, *arguments):
        """The one line that a refused run writes."""
        run = subprocess.run([sys.executable, label.__file__, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), run.stderr)
        return run.stderr.rstrip("\n")

    def test_a_file_that_is_no_text_is_named(self):
        path = self.write("picture.png", bytes(range(256)) * 20)
        self.assertEqual(self.refused(path), f"{path}: neither text (UTF-8) nor gzip of text")
        self.assertEqual(self.refused(self.rows(2), "--compare", path), f"{path}: neither text (UTF-8) nor gzip of text")
        zipped = self.write("picture.gz", gzip.compress(bytes(range(128, 256)) * 20))
        self.assertEqual(self.refused(zipped), f"{zipped}: neither text (UTF-8) nor gzip of text")

    def test_a_broken_gzip_is_named(self):
        lines = Path(self.rows(1)).read_bytes().splitlines(keepends=True)
        whole = gzip.compress(b"".join(lines[:4]))
        for broken in (whole[:len(whole) // 2], whole[:-8] + bytes(8), whole[:3]):
            path = self.write("rows.gz", broken)
            self.assertTrue(self.refused(path).startswith(f"{path}: its gzip is broken: "))

    def test_a_file_that_is_not_there_is_named(self):
        path = str(self.folder / "nowhere.ndjson")
        self.assertEqual(self.refused(path), f"{path}: No such file or directory")

    def test_a_packet_line_without_its_window_is_named(self):
        path = self.write("packets.ndjson", b'{"schema":"market_state_packet_row.v1"}\n')
        self.assertEqual(self.refused(self.rows(2), "--compare", path), f"{path}:1: symbol or window_end_ms is missing")

    def test_a_policy_file_that_is_broken_is_named(self):
        policy = self.folder / "policy"
        shutil.copytree(label.POLICY, policy)
        numbers = policy / "numbers.json"
        for content in (b"{", b"[]", b"\xff"):
            numbers.write_bytes(content)
            self.assertTrue(self.refused(self.rows(2), "--policy", str(policy)).startswith(f"{numbers}: "))
        numbers.unlink()
        self.assertEqual(self.refused(self.rows(2), "--policy", str(policy)), f"{policy}: policy files missing: numbers")

    def test_when_nobody_reads_on_it_ends_quietly(self):
        with subprocess.Popen([sys.executable, label.__file__, self.rows(60)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            run.stdout.readline()
            run.stdout.close()
            self.assertEqual((run.stderr.read(), run.wait()), (b"", 0))


if __name__ == "__main__":
    unittest.main()
