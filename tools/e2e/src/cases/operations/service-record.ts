import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@market-state/testing';
import { askDatabase } from '../../system/stored';
import type { DefaultSystem } from '../../system/default-system';

const STATUS = '/api/public/market-state/status';
const SYMBOL = 'BTCUSD-PERP';
const DAY_MS = 86_400_000;
/** A minute's statistics appear 45 s after its end, from the start of the service on. */
const FIGURES_MS = 240_000;

interface Stage {
  readonly packet_total: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}
interface LatencyAnswer {
  readonly as_of_utc: string;
  readonly rows: readonly { readonly date: string; readonly closing_tick_to_packet: Stage; readonly closing_tick_to_gateway: Stage }[];
}
interface SlaAnswer {
  readonly as_of_utc: string;
  readonly rows: readonly {
    readonly month: string;
    readonly windows: { readonly due_total: number; readonly in_time_total: number; readonly share: number };
    readonly reads: { readonly answered_total: number; readonly failed_total: number; readonly share: number } | null;
  }[];
}

/**
 * Upper bound of a latency bucket: the smallest integer at or above a power of the fourth root of two that is not below
 * the value.
 */
function boundOf(ms: number): number {
  for (let step = 0; ; step += 1) if (Math.ceil(2 ** (step / 4)) >= ms) return Math.ceil(2 ** (step / 4));
}

function quantile(times: readonly number[], share: number): number | null {
  const sorted = times.toSorted((one, other) => one - other);
  const time = sorted[Math.ceil(sorted.length * share) - 1];
  return time === undefined ? null : boundOf(time);
}

/** Compares the service's statistics with its stored rows. */
export function describeServiceRecord(started: () => DefaultSystem): void {
  const ask = async <T>(path: string): Promise<T> => {
    const { status, text } = await started().api.getWithKey(`${STATUS}/${path}`);
    expect([path, status]).toEqual([path, 200]);
    return JSON.parse(text) as T;
  };
  const countedFrom = async (symbol: string): Promise<number> => {
    const sql = 'SELECT min(since_ms)::float8 AS since FROM packet_minute WHERE symbol = $1';
    const [row] = await askDatabase<{ since: number }>(started().system, 'labeling', sql, [symbol]);
    return row?.since ?? Number.NaN;
  };

  beforeAll(async () => {
    await waitUntil('statistics of whole minutes, of packets and reads', async () => {
      const { rows } = await ask<SlaAnswer>('sla?symbol=ALL');
      const { rows: days } = await ask<LatencyAnswer>(`latency?symbol=${SYMBOL}`);
      const [month] = rows.toReversed();
      const isThere = (days.at(-1)?.closing_tick_to_gateway.packet_total ?? 0) > 0 && (month?.reads?.answered_total ?? 0) > 0;
      if (!isThere) await delay(2_000);
      return isThere;
    });
  }, FIGURES_MS);

  it("each day's latency is that of its individual packets", async () => {
    const { as_of_utc: asOf, rows } = await ask<LatencyAnswer>(`latency?symbol=${SYMBOL}`);
    const since = await countedFrom(SYMBOL);
    const packets = await askDatabase<{ day: number; took: number }>(
      started().system,
      'labeling',
      `SELECT ((window_end_ms - 1) - (window_end_ms - 1) % ${DAY_MS})::float8 AS day, (generated_ts_ms - known_ts_ms)::float8 AS took
       FROM packet WHERE symbol = $1 AND window_end_ms > $2 AND window_end_ms <= $3`,
      [SYMBOL, since, Date.parse(asOf)],
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { date, closing_tick_to_packet: stage, closing_tick_to_gateway: all } of rows) {
      const times = packets.filter(({ day }) => day === Date.parse(date)).map(({ took }) => took);
      const { packet_total: total, p50_ms: half, p99_ms: most } = stage;
      expect([date, total, half, most]).toEqual([date, times.length, quantile(times, 0.5), quantile(times, 0.99)]);
      expect(all.packet_total).toBeGreaterThan(0);
    }
  });

  it('the months are the sums of the raw minutes, with shares rounded down', async () => {
    const { as_of_utc: asOf, rows } = await ask<SlaAnswer>('sla?symbol=ALL');
    const atMs = Date.parse(asOf);
    const windows = await askDatabase<{ month: string; in_time: number }>(
      started().system,
      'labeling',
      `SELECT to_char(to_timestamp(minute_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM') AS month, sum(in_time)::int AS in_time FROM packet_minute
       WHERE minute_ms < $1 GROUP BY 1 ORDER BY 1`,
      [atMs],
    );
    const reads = await askDatabase<{ month: string; answered: number; failed: number }>(
      started().system,
      'account',
      `SELECT to_char(to_timestamp(minute_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM') AS month, sum(answered)::int AS answered,
         sum(failed)::int AS failed FROM read_minute WHERE minute_ms < $1 GROUP BY 1 ORDER BY 1`,
      [atMs],
    );
    expect(rows.map(({ month, windows: { in_time_total: inTime } }) => ({ month, in_time: inTime }))).toEqual(windows);
    expect(rows.map(({ month, reads: counted }) => ({ month, answered: counted?.answered_total, failed: counted?.failed_total }))).toEqual(
      reads,
    );
    const since = await Promise.all(['BTCUSD-PERP', 'ETHUSD-PERP', 'SIMUSD-PERP'].map(countedFrom));
    const due = rows.reduce((sum, row) => sum + row.windows.due_total, 0);
    expect(due).toBe(since.reduce((sum, sinceMs) => sum + Math.floor((atMs - sinceMs) / 10_000), 0));
    for (const { windows: counted, reads: answered } of rows) {
      expect(counted.share).toBe(Math.floor((counted.in_time_total / counted.due_total) * 1e6) / 1e6);
      const { answered_total: good = 0, failed_total: failed = 0, share } = answered ?? {};
      expect(share).toBe(Math.floor((good / (good + failed)) * 1e6) / 1e6);
    }
  });

  it('an incident names existing entries of the gap ledger', async () => {
    const { rows } = await ask<{ readonly rows: readonly { readonly kind: string; readonly gap_ids: readonly string[] }[] }>('incidents');
    const ids = rows.flatMap(({ gap_ids: gapIds }) => gapIds);
    const known = await askDatabase<{ gap_id: string }>(started().system, 'data_plane', 'SELECT gap_id FROM gap WHERE gap_id = ANY ($1)', [
      ids,
    ]);
    expect(new Set(known.map(({ gap_id: id }) => id))).toEqual(new Set(ids));
  });
}
