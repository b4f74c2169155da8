import { execFile } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { startSystem, type System, waitUntil } from '../../src/index';

jest.setTimeout(300_000);

const program = join(__dirname, '../../../../apps/cli/bin/market-state.mjs');
const symbol = 'BTCUSD-PERP';
const windowMs = 10_000;

let system: System;

beforeAll(async () => {
  system = await startSystem({ settings: { FEED: 'recording', FEED_SPEED: '20', FEED_START: String(Date.now()) } }, 180_000);
});

afterAll(() => system?.stop());

interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

function verify(...args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'verify', '--data-dir', system.dataDir, ...args], (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

async function query<T extends pg.QueryResultRow>(service: 'data_plane' | 'labeling', sql: string, values: readonly unknown[] = []): Promise<readonly T[]> {
  const client = new pg.Client(system.stores.postgresUrl(service));
  await client.connect();
  try {
    return (await client.query<T>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function windowEnds(): Promise<readonly number[]> {
  const rows = await query<{ window_end_ms: string }>('labeling', 'SELECT window_end_ms FROM packet WHERE symbol = $1 ORDER BY window_end_ms', [symbol]);
  return rows.map((row) => Number(row.window_end_ms));
}

describe('verify against a running system', () => {
  it('gives every packet again, with its signature, while the system goes on', async () => {
    await waitUntil('packets to verify', async () => (await windowEnds()).length >= 12, 120_000);
    const { exitCode, stdout } = await verify();
    expect(stdout).toMatch(/BTCUSD-PERP {2}EQUAL/);
    expect(stdout).toMatch(/ETHUSD-PERP {2}EQUAL/);
    expect(stdout).toMatch(/signatures +\d+ valid\n/);
    expect(exitCode).toBe(0);
  });

  it('names the symbols that are served when asked for another', async () => {
    const { exitCode, stderr } = await verify('--symbol', 'DOGEUSD-PERP');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('BTCUSD-PERP');
  });

  it('names the first packet that differs once one stored row is changed by one unit', async () => {
    const [from = 0] = (await windowEnds()).slice(5);
    const [row] = await query<{ ordinal: string; exchange_ts_ms: string; size: string; payload: Buffer }>(
      'data_plane',
      `SELECT ordinal, exchange_ts_ms, size, payload FROM log_entry WHERE symbol = $1 AND channel = 'trade' AND exchange_ts_ms > $2 AND exchange_ts_ms <= $3
       ORDER BY ordinal LIMIT 1`,
      [symbol, from - windowMs, from],
    );
    const changed = await query('data_plane', 'UPDATE log_entry SET payload = $1 WHERE symbol = $2 AND ordinal = $3 AND exchange_ts_ms = $4 RETURNING ordinal', [
      oneUnitOff(row?.payload ?? Buffer.alloc(0), row?.size ?? ''),
      symbol,
      row?.ordinal,
      row?.exchange_ts_ms,
    ]);
    expect(changed).toHaveLength(1);

    const { exitCode, stdout } = await verify('--symbol', symbol, '--format', 'ndjson');
    const [packet] = await query<{ packet_id: string; packet_digest: string }>(
      'labeling',
      'SELECT packet_id, packet_digest FROM packet WHERE symbol = $1 AND window_end_ms = $2',
      [symbol, from],
    );
    const { verdict, result } = JSON.parse(stdout) as {
      verdict: string;
      result: { packets: { first: { window_end_ms: number; packet_id: string; fields: { field: string; retained: string; rederived: string }[] } } };
    };
    expect([exitCode, verdict]).toEqual([1, 'different']);
    expect(result.packets.first).toMatchObject({ window_end_ms: from, packet_id: packet?.packet_id });
    const digest = result.packets.first.fields.find(({ field }) => field === 'packet_digest');
    expect(digest?.retained).toBe(packet?.packet_digest);
    expect(digest?.rederived).not.toBe(digest?.retained);
  });
});

/** The entry with its size (a decimal, as text) one unit off in the last digit. */
function oneUnitOff(payload: Buffer, size: string): Buffer {
  const last = payload.indexOf(size, 0, 'latin1') + size.length - 1;
  expect(payload.toString('latin1')).toContain(size);
  const changed = Buffer.from(payload);
  changed.write(size.endsWith('9') ? '8' : String(Number(size.slice(-1)) + 1), last, 'latin1');
  return changed;
}
