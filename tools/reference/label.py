#!/usr/bin/env python3
"""Recomputes market_state.v1 packets from log rows, and compares them with packets that were published.

    python3 tools/reference/label.py ROWS.ndjson[.gz] [--policy FOLDER] [--market BTCUSD-PERP@okx]
    python3 tools/reference/label.py ROWS.ndjson[.gz] --compare PACKETS.ndjson[.gz]

Exit code: 0 done (and all digests equal), 1 differences found, 2 bad usage or bad input.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from labeler.canonical_json import canonical_json
from labeler.compare import row_differences
from labeler.labeler import Labeler
from labeler.policy import Policy, PolicyFault
from labeler.rows import RowError, json_lines, read_rows

POLICY = Path(__file__).resolve().parents[2] / "libs/domain/labeler/policy"
SHOWN_PATHS = 12


def packets(rows_path, policy, markets=()):
    """The packets of every market of a file of rows, in the order in which their windows close."""
    labelers = {}
    for market, row in read_rows(rows_path, markets):
        labeler = labelers.get(market)
        if labeler is None:
            labeler = labelers[market] = Labeler(policy, market)
        yield from labeler.apply(row)


def published_rows(path):
    """The packet rows of a file by market and window end."""
    rows = {}
    for number, row in json_lines(path):
        if row.get("schema") != "market_state_packet_row.v1":
            continue
        if not isinstance(row.get("symbol"), str) or not isinstance(row.get("window_end_ms"), int):
            raise RowError(f"{path}:{number}: symbol or window_end_ms is missing")
        rows[row.get("market", row["symbol"]), row["window_end_ms"]] = row
    if not rows:
        raise RowError(f"{path}: no market_state_packet_row.v1 line")
    return rows


def compare(rows_path, packets_path, policy, markets=()):
    """Prints what differs, packet by packet, and a summary; returns the exit code.

    Rows may go on after the newest published packet of a market: what they give is counted and is no difference.
    """
    published = published_rows(packets_path)
    newest = {}
    for market, end_ms in published:
        newest[market] = max(end_ms, newest.get(market, end_ms))
    equal = differing = only_ours = after = 0
    for ours in packets(rows_path, policy, {*markets, *newest}):
        key = ours.get("market", ours["symbol"]), ours["window_end_ms"]
        theirs = published.pop(key, None)
        if theirs is None and key[1] > newest.get(key[0], key[1]):
            after += 1
            continue
        if theirs is None:
            only_ours += 1
            print(f"{key[0]} {key[1]}: recomputed, not among the packets compared with")
            continue
        names, paths = row_differences(ours, theirs)
        if not names and not paths:
            equal += 1
            continue
        differing += 1
        print(f"{key[0]} {key[1]}: {', '.join(names) or 'body'} differ; {len(paths)} paths")
        for path, mine, other in paths[:SHOWN_PATHS]:
            print(f"  {path}: recomputed {json.dumps(mine)}, published {json.dumps(other)}")
    for market, end_ms in published:
        print(f"{market} {end_ms}: published, not recomputed from these rows")
    print(f"{equal} packets equal in every digest, {differing} differ, {only_ours} only recomputed, "
          f"{len(published)} only published")
    if after:
        print(f"{after} recomputed after the newest published: nothing to compare with")
    return 0 if not (differing or only_ours or published) else 1


def main(arguments):
    """Runs the command; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("rows", help="market_state_row.v1 lines, gzip or not")
    parser.add_argument("--policy", default=POLICY, help="folder of policy files (default: the shipped ones)")
    parser.add_argument("--market", action="append", default=[], metavar="SYMBOL@VENUE",
                        help="the rows of this venue are not those of the symbol's primary one (repeatable; known with "
                             "--compare)")
    parser.add_argument("--compare", metavar="PACKETS", help="market_state_packet_row.v1 lines to compare with")
    options = parser.parse_args(arguments)
    try:
        policy = Policy.load(options.policy)
        if options.compare:
            code = compare(options.rows, options.compare, policy, options.market)
        else:
            code = 0
            for row in packets(options.rows, policy, options.market):
                print(canonical_json(row))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader has closed the pipe (`| head`). Buffered output is dropped, so that nothing fails at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, RowError, PolicyFault) as fault:
        print(fault, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
