import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { rowLine } from '@market-state/market-data';
import { createState } from '../../src/index';
import { packetRowLine, packetRowOf } from '../../src/packet-row/lines';
import { labelLog, POLICY } from '../label-log';
import { RUNS } from './cases';
import { marketScript, writeScript } from './market-script';

const PROGRAM = join(import.meta.dirname, '../../../../../tools/reference/label.py');
const TIMEOUT_MS = 600_000;

/** Registered and counted as skipped where there is no Python. */
const whereThereIsPython = spawnSync('python3', ['--version']).status === 0 ? test : test.skip;

/** The last lines that the program prints: what differs, and a summary. */
function compare(rows: string, packets: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    execFile('python3', [PROGRAM, rows, '--compare', packets], { maxBuffer: 2 ** 26 }, (_error, stdout, stderr) => {
      resolve(`${stdout}${stderr}`.trimEnd().split('\n').slice(-20));
    });
  });
}

whereThereIsPython(
  'a second labeler, written from the pages, gives every digest of every market',
  async () => {
    const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 1_000_000_000);
    const folder = mkdtempSync(join(tmpdir(), 'market-state-second-'));
    const [rows, packets] = [join(folder, 'rows.ndjson'), join(folder, 'packets.ndjson')];
    try {
      // One call for all: each market is the log of a symbol of its own.
      const logs = fc.sample(marketScript, { ...RUNS, seed }).map((script, index) => {
        const symbol = `CASE${index}USD-PERP`;
        return { symbol, events: writeScript(script).map((event) => ({ ...event, symbol })) };
      });
      const packetLines = logs.flatMap(({ symbol, events }) =>
        labelLog(events, createState(symbol, POLICY)).map((packet) => packetRowLine(packetRowOf(packet))),
      );
      writeFileSync(rows, logs.flatMap(({ events }) => events.map(rowLine)).join('\n'));
      writeFileSync(packets, packetLines.join('\n'));
      expect([`PROPERTY_SEED=${seed}`, ...(await compare(rows, packets))]).toEqual([
        `PROPERTY_SEED=${seed}`,
        `${packetLines.length} packets equal in every digest, 0 differ, 0 only recomputed, 0 only published`,
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  TIMEOUT_MS,
);
