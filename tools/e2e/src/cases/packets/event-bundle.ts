import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { userProgramFile } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { keyHeader } from '../../system/api';
import { askDatabase } from '../../system/stored';
import type { DefaultSystem } from '../../system/default-system';

const program = userProgramFile();
/** A packet this long after the first has a preceding checkpoint, written every fifteen minutes. */
const AFTER_PACKETS = 120;
/** Interval of checkpoints, and the event's minimum distance from one, so that several packets are recomputed. */
const CHECKPOINT_MS = 900_000;
const AFTER_CHECKPOINT_MS = 300_000;
const WINDOW_MS = 10_000;
const ANSWER_MS = 120_000;

interface Event {
  readonly eventId: string;
  readonly windowEndMs: number;
}

interface Line {
  readonly schema: string;
  readonly kind?: string;
  readonly exchange_ts_ms?: number;
  readonly size?: string;
  readonly event_id?: string;
}

function linesOf(bundle: Uint8Array): readonly string[] {
  return gunzipSync(bundle).toString('utf8').trimEnd().split('\n');
}

export function describeEventBundle(started: () => DefaultSystem): void {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-bundle-'));
  let event: Event;
  let response: Response;
  let bundle: Uint8Array<ArrayBuffer>;

  beforeAll(async () => {
    const { system, key } = started();
    const [row] = await askDatabase<{ event_id: string; window_end_ms: string }>(
      system,
      'labeling',
      `SELECT event_id, window_end_ms FROM packet WHERE symbol = $1 AND window_end_ms % ${CHECKPOINT_MS} >= ${AFTER_CHECKPOINT_MS}
         AND window_end_ms >= (SELECT window_end_ms FROM packet WHERE symbol = $1 ORDER BY window_end_ms OFFSET $2 LIMIT 1)
       ORDER BY window_end_ms LIMIT 1`,
      ['BTCUSD-PERP', AFTER_PACKETS],
    );
    event = { eventId: row?.event_id ?? '', windowEndMs: Number(row?.window_end_ms) };
    response = await fetch(`${system.url}/api/public/market-state/events/${event.eventId}/bundle`, {
      headers: { [keyHeader]: key },
      signal: timeLimit(ANSWER_MS),
    });
    bundle = new Uint8Array(await response.arrayBuffer());
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function verify(name: string, bytes: Uint8Array): Promise<{ readonly exitCode: number; readonly stdout: string }> {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    return new Promise((resolve) => {
      execFile(process.execPath, [program, 'verify', file], (error, stdout) =>
        resolve({ exitCode: error === null ? 0 : Number(error.code), stdout }),
      );
    });
  }

  it('recomputes every packet from a checkpoint, signed by its keys, with the event last', async () => {
    expect(response.status).toBe(200);
    const { exitCode, stdout } = await verify('bundle.ndjson.gz', bundle);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^BTCUSD-PERP {2}EQUAL/)]);
    expect(stdout).toMatch(/start +checkpoint at /);
    const packetTotal = linesOf(bundle).filter((line) => line.includes('"schema":"market_state_packet_row.v1"')).length;
    expect(packetTotal).toBeGreaterThan(1);
    expect(stdout).toContain(`${packetTotal} compared: ${packetTotal} equal, 0 different`);
    expect(stdout).toMatch(new RegExp(`signatures +${packetTotal} valid\n`));
    expect(JSON.parse(linesOf(bundle).at(-1) ?? '')).toMatchObject({ event_id: event.eventId, window_end_ms: event.windowEndMs });
  });

  it('costs 2 credits plus one per thousand log entries, rounded up', () => {
    const entryTotal = linesOf(bundle).filter((line) => line.includes('"schema":"market_state_row.v1"')).length;
    expect(entryTotal).toBeGreaterThan(100);
    expect(response.headers.get('x-credits-charged')).toBe(String(2 + Math.ceil(entryTotal / 1_000)));
  });

  it('names the packet of a modified trade', async () => {
    const lines = [...linesOf(bundle)];
    const at = lines.findLastIndex((line) => {
      const { kind, exchange_ts_ms: ms = 0 } = JSON.parse(line) as Line;
      return kind === 'trade' && ms > event.windowEndMs - WINDOW_MS && ms <= event.windowEndMs;
    });
    const trade = JSON.parse(lines[at] ?? '') as Line;
    lines[at] = JSON.stringify({ ...trade, size: String(Number(trade.size) + 1) });
    const { exitCode, stdout } = await verify('changed.ndjson.gz', gzipSync(`${lines.join('\n')}\n`));
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/^BTCUSD-PERP {2}DIFFERENT/)]);
    expect(stdout).toContain(`First difference: the window ending at ${new Date(event.windowEndMs).toISOString().replace('.000Z', 'Z')}`);
  });
}
