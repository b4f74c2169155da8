import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { loadPolicy } from '@market-state/labeler';
import { type BundleCheck, bundleLines, checkBundle } from '@market-state/labeler/recompute';
import { keyHeader } from './api';
import { askDatabase } from './ask-database';
import type { DefaultSystem } from './default-system';

const program = join(__dirname, '../../../..', 'apps/cli/bin/market-state.mjs');
/** A packet so long after the first one has a checkpoint before it, which is written each quarter of an hour. */
const AFTER_PACKETS = 120;
const WINDOW_MS = 10_000;
const ANSWER_MS = 30_000;

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

async function checked(bundle: Uint8Array<ArrayBuffer>, eventId: string): Promise<BundleCheck> {
  return checkBundle({ bundle: await bundleLines(bundle), policyFiles: loadPolicy().files, keys: null, eventId });
}

/** Whatever the bundle of an event is worth to whoever reads it elsewhere. */
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
      'SELECT event_id, window_end_ms FROM packet WHERE symbol = $1 ORDER BY window_end_ms OFFSET $2 LIMIT 1',
      ['BTCUSD-PERP', AFTER_PACKETS],
    );
    event = { eventId: row?.event_id ?? '', windowEndMs: Number(row?.window_end_ms) };
    response = await fetch(`${system.url}/api/public/market-state/events/${event.eventId}/bundle`, {
      headers: { [keyHeader]: key },
      signal: AbortSignal.timeout(ANSWER_MS),
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

  it('makes every packet again from a checkpoint, signed by its keys, with the event last', async () => {
    expect(response.status).toBe(200);
    const check = await checked(bundle, event.eventId);
    expect(check).toMatchObject({ holds: true, firstDifference: null });
    expect(check.checkpointMs).not.toBeNull();
    for (const { outcome, packetTotal } of [check.body, check.maker, check.derivation])
      expect([outcome, packetTotal]).toEqual(['holds', check.packetTotal]);
    expect(JSON.parse(linesOf(bundle).at(-1) ?? '')).toMatchObject({ event_id: event.eventId, window_end_ms: event.windowEndMs });
    expect(await verify('bundle.ndjson.gz', bundle)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('EQUAL') });
  });

  it('costs 2 credits and one for every thousand log entries begun', () => {
    const entryTotal = linesOf(bundle).filter((line) => line.includes('"schema":"market_state_row.v1"')).length;
    expect(entryTotal).toBeGreaterThan(100);
    expect(response.headers.get('x-credits-charged')).toBe(String(2 + Math.ceil(entryTotal / 1_000)));
  });

  it('names the packet of a trade that was changed', async () => {
    const lines = [...linesOf(bundle)];
    const at = lines.findLastIndex((line) => {
      const { kind, exchange_ts_ms: ms = 0 } = JSON.parse(line) as Line;
      return kind === 'trade' && ms > event.windowEndMs - WINDOW_MS && ms <= event.windowEndMs;
    });
    const trade = JSON.parse(lines[at] ?? '') as Line;
    lines[at] = JSON.stringify({ ...trade, size: String(Number(trade.size) + 1) });
    const changed = new Uint8Array(gzipSync(`${lines.join('\n')}\n`));
    const check = await checked(changed, event.eventId);
    expect(check).toMatchObject({ holds: false, derivation: { outcome: 'broken' }, body: { outcome: 'holds' } });
    expect(check.firstDifference?.windowEndMs).toBe(event.windowEndMs);
    expect(await verify('changed.ndjson.gz', changed)).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('DIFFERENT') });
  });
}
