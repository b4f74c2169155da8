import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userProgramFile, workspaceRoot } from '@market-state/launcher';
import type { System } from '@market-state/testing';
import { askDatabase } from '../../system/stored';
import type { DefaultSystem } from '../../system/default-system';

/** The entry with its size (a decimal, as text) changed by one unit in the last digit. */
export function oneUnitOff(payload: Buffer, size: string): Buffer {
  const last = payload.indexOf(size, 0, 'latin1') + size.length - 1;
  expect(payload.toString('latin1')).toContain(size);
  const changed = Buffer.from(payload);
  changed.write(size.endsWith('9') ? '8' : String(Number(size.slice(-1)) + 1), last, 'latin1');
  return changed;
}

const program = userProgramFile();
const folder = mkdtempSync(join(tmpdir(), 'market-state-dump-'));
const dumpFile = join(folder, 'dump.ndjson');
const whereThereIsPython = spawnSync('python3', ['--version']).status === 0 ? it : it.skip;
const symbol = 'BTCUSD-PERP';
const windowMs = 10_000;
/** More than a pass of the recording, and than the fifteen minutes between checkpoints. */
const firstWindows = 96;
/**
 * Windows relabeled to find one changed row. Tests change the last trade of a window: the first ones may be logged before
 * the preceding window closes, so its packet would differ first.
 */
const searchedWindows = 12;

let system: System;

interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, ...args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(file, args, (error, stdout, stderr) => resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }));
  });
}

function verify(...args: readonly string[]): Promise<Outcome> {
  return run(process.execPath, program, 'verify', '--data-dir', system.dataDir, ...args);
}

function dump(...args: readonly string[]): Promise<Outcome> {
  return run(process.execPath, program, 'dump', '--data-dir', system.dataDir, ...args);
}

function verifyFile(file: string, ...args: readonly string[]): Promise<Outcome> {
  return run(process.execPath, program, 'verify', file, ...args);
}

interface Verified {
  readonly symbol: string;
  readonly verdict: string;
  readonly altered: readonly { readonly ordinal: number; readonly window_end_ms: number }[];
  readonly result: {
    readonly packets: {
      readonly compared: number;
      readonly equal: number;
      readonly first: {
        readonly window_end_ms: number;
        readonly packet_id: string;
        readonly fields: readonly { field: string; retained: string; rederived: string }[];
      };
    };
    readonly signatures: { readonly valid: number };
  };
}

/** Output of `--output ndjson`, one per symbol. */
function verified({ stdout }: Outcome): readonly Verified[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Verified);
}

async function windowEnds(): Promise<readonly number[]> {
  const rows = await askDatabase<{ window_end_ms: string }>(
    system,
    'labeling',
    'SELECT window_end_ms FROM packet WHERE symbol = $1 ORDER BY window_end_ms',
    [symbol],
  );
  return rows.map((row) => Number(row.window_end_ms));
}

/** Starts at the first windows, so that the duration does not depend on the system's uptime. */
async function fromTheBeginning(windowTotal = firstWindows): Promise<readonly string[]> {
  return ['--from', '0', '--to', String((await windowEnds())[windowTotal])];
}

/**
 * Tests the command line against the system and a dump of it. Changes rows, so tests that read them must come before.
 */
export function describeVerify(started: () => DefaultSystem): void {
  beforeAll(() => {
    ({ system } = started());
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  describe('verify against a running system', () => {
    it('recomputes every packet with its signature while the system continues', async () => {
      const { exitCode, stdout } = await verify();
      expect(stdout).toMatch(/BTCUSD-PERP {2}EQUAL/);
      expect(stdout).toMatch(/SIMUSD-PERP {2}EQUAL/);
      expect(stdout).toMatch(/signatures +\d+ valid\n/);
      expect(exitCode).toBe(0);
    });

    it('names the served symbols when given an unknown one', async () => {
      const { exitCode, stderr } = await verify('--symbol', 'DOGEUSD-PERP');
      expect(exitCode).toBe(2);
      expect(stderr).toContain('BTCUSD-PERP');
    });

    it('gives the same counts and signatures for a dump of it, without the system', async () => {
      const span = await fromTheBeginning();
      const ofSystem = await verify(...span, '--output', 'ndjson');
      expect(await dump(...span, '--out', dumpFile)).toMatchObject({ exitCode: 0, stdout: '' });
      const ofFile = await verifyFile(dumpFile, '--output', 'ndjson');
      const totals = (outcome: Outcome) =>
        verified(outcome)
          .filter(({ result: { packets } }) => packets.compared > 0)
          .map(({ symbol: of, verdict, result: { packets, signatures } }) => ({ of, verdict, compared: packets.compared, signatures }));
      expect(totals(ofFile)).toEqual(totals(ofSystem));
      expect(totals(ofFile).map(({ of, verdict }) => [of, verdict])).toEqual([
        ['BTCUSD-PERP', 'equal'],
        ['ETHUSD-PERP', 'equal'],
      ]);
      for (const { compared, signatures } of totals(ofFile)) expect(signatures.valid).toBe(compared);
      // The simulated market starts with the system, after the span.
      expect([ofSystem.exitCode, ofFile.exitCode]).toEqual([3, 0]);
    });

    it('accepts a compressed dump of the last hour', async () => {
      const packed = join(folder, 'dump.ndjson.gz');
      expect((await dump('--symbol', symbol, '--out', packed)).exitCode).toBe(0);
      expect(readFileSync(packed).subarray(0, 2).toString('hex')).toBe('1f8b');
      const { exitCode, stdout } = await verifyFile(packed);
      expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^BTCUSD-PERP {2}EQUAL/)]);
    });

    whereThereIsPython('lets the second labeler recompute every packet of the dump', async () => {
      const ofRecording = join(folder, 'recording.ndjson');
      expect((await dump(...(await fromTheBeginning()), '--symbol', symbol, '--out', ofRecording)).exitCode).toBe(0);
      const packetTotal = readFileSync(ofRecording, 'utf8').split('"schema":"market_state_packet_row.v1"').length - 1;
      const { exitCode, stdout } = await run(
        'python3',
        join(workspaceRoot(), 'tools/reference/label.py'),
        ofRecording,
        '--compare',
        ofRecording,
      );
      expect(stdout).toMatch(new RegExp(`^${packetTotal} packets equal in every digest, 0 differ, 0 only recomputed, 0 only published\n`));
      expect(exitCode).toBe(0);
    });

    it('names the packet when one row of the dump changes by one unit', async () => {
      const [windowEndMs = 0] = (await windowEnds()).slice(4);
      const searched = join(folder, 'searched.ndjson');
      expect((await dump(...(await fromTheBeginning(searchedWindows)), '--symbol', symbol, '--out', searched)).exitCode).toBe(0);
      const lines = readFileSync(searched, 'utf8').trimEnd().split('\n');
      const index = lines.findLastIndex((line) => {
        if (!line.startsWith('{"schema":"market_state_row.v1","kind":"trade"') || !line.includes(`"symbol":"${symbol}"`)) return false;
        const { exchange_ts_ms: atMs } = JSON.parse(line) as { readonly exchange_ts_ms: number };
        return atMs > windowEndMs - windowMs && atMs <= windowEndMs;
      });
      const changed = (lines[index] ?? '').replace(
        /"price":"([\d.]*)(\d)"/,
        (_all, head: string, last: string) => `"price":"${head}${last === '9' ? 8 : Number(last) + 1}"`,
      );
      expect(changed).not.toBe(lines[index]);
      const changedFile = join(folder, 'changed.ndjson');
      writeFileSync(changedFile, lines.with(index, changed).join('\n'));

      const outcome = await verifyFile(changedFile, '--symbol', symbol, '--output', 'ndjson');
      expect([outcome.exitCode, verified(outcome)[0]?.verdict]).toEqual([1, 'different']);
      expect(verified(outcome)[0]?.result.packets.first.window_end_ms).toBe(windowEndMs);
    });

    it('names a row, and the first packet that reads it, when one of its columns changes by one unit', async () => {
      const [from = 0] = (await windowEnds()).slice(3);
      const [row] = await askDatabase<{ ordinal: string }>(
        system,
        'data_plane',
        `UPDATE log_entry SET price = price + 0.1 WHERE symbol = $1 AND ordinal = (
         SELECT max(ordinal) FROM log_entry WHERE symbol = $1 AND channel = 'trade' AND exchange_ts_ms > $2 AND exchange_ts_ms <= $3
       ) RETURNING ordinal`,
        [symbol, from - windowMs, from],
      );
      const outcome = await verify('--symbol', symbol, ...(await fromTheBeginning(searchedWindows)), '--output', 'ndjson');
      await askDatabase(system, 'data_plane', 'UPDATE log_entry SET price = price - 0.1 WHERE symbol = $1 AND ordinal = $2', [
        symbol,
        row?.ordinal,
      ]);
      expect([outcome.exitCode, verified(outcome)[0]?.verdict]).toEqual([1, 'different']);
      expect(verified(outcome)[0]?.altered).toEqual([{ ordinal: Number(row?.ordinal), window_end_ms: from }]);
      expect((await verify('--symbol', symbol, ...(await fromTheBeginning(searchedWindows)))).exitCode).toBe(0);
    });

    it('names the first packet that differs when one stored row changes by one unit', async () => {
      const [from = 0] = (await windowEnds()).slice(5);
      const [row] = await askDatabase<{ ordinal: string; exchange_ts_ms: string; size: string; payload: Buffer }>(
        system,
        'data_plane',
        `SELECT ordinal, exchange_ts_ms, size, payload FROM log_entry WHERE symbol = $1 AND channel = 'trade' AND exchange_ts_ms > $2
        AND exchange_ts_ms <= $3
       ORDER BY ordinal DESC LIMIT 1`,
        [symbol, from - windowMs, from],
      );
      const changed = await askDatabase(
        system,
        'data_plane',
        'UPDATE log_entry SET payload = $1 WHERE symbol = $2 AND ordinal = $3 AND exchange_ts_ms = $4 RETURNING ordinal',
        [oneUnitOff(row?.payload ?? Buffer.alloc(0), row?.size ?? ''), symbol, row?.ordinal, row?.exchange_ts_ms],
      );
      expect(changed).toHaveLength(1);

      const outcome = await verify('--symbol', symbol, ...(await fromTheBeginning(searchedWindows)), '--output', 'ndjson');
      const [packet] = await askDatabase<{ packet_id: string; packet_digest: string }>(
        system,
        'labeling',
        'SELECT packet_id, packet_digest FROM packet WHERE symbol = $1 AND window_end_ms = $2',
        [symbol, from],
      );
      const first = verified(outcome)[0]?.result.packets.first;
      expect([outcome.exitCode, verified(outcome)[0]?.verdict]).toEqual([1, 'different']);
      expect(first).toMatchObject({ window_end_ms: from, packet_id: packet?.packet_id });
      const digest = first?.fields.find(({ field }) => field === 'packet_digest');
      expect(digest?.retained).toBe(packet?.packet_digest);
      expect(digest?.rederived).not.toBe(digest?.retained);
    });
  });
}
