import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { DAY_MS, LATENCY_BOUNDS_MS, MINUTE_MS } from '@market-state/service-figures';
import type { Pool } from 'pg';
import type { StatisticsStore, PacketMinute } from '../src/packets/packet-statistics';
import { createPostgresStatisticsStore } from '../src/store/postgres-statistics-store';
import { BTC, ETH, type LabelingBench, labelPurely, type RunningLabeling, startBench } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

/** The first of a month, so that the month begins with it. */
const DAY = Date.UTC(2026, 1, 1);
const SINCE_MS = DAY + 3_600_000;

let bench: LabelingBench;
let running: RunningLabeling;
let pool: Pool;
let store: StatisticsStore;
let nowMs = DAY + 2 * DAY_MS;

beforeAll(async () => {
  bench = await startBench();
  // It labels nothing itself: what is counted is what a test writes.
  running = await bench.start({ clock: () => nowMs }, undefined, { symbols: [] });
  pool = createPool({ url: bench.config.databaseUrl, logger: silentLogger(), applicationName: 'test', max: 2 });
  store = createPostgresStatisticsStore(pool);
});
afterAll(async () => {
  await pool.end();
  await running.close();
  await bench.stop();
});
beforeEach(() => bench.ownerSql('TRUNCATE packet_minute, gateway_minute, packet_day, folded_day'));

/** A minute with six packets in time that took 30 ms each, but for what is changed. */
function minute(symbol: string, minuteMs: number, change: Partial<PacketMinute> = {}): PacketMinute {
  return { symbol, minuteMs, counterId: 'run_1', sinceMs: null, inTime: 6, remade: 0, closingTickToPacket: counts(30, 6), ...change };
}

function counts(latencyMs: number, total: number): number[] {
  const bucket = LATENCY_BOUNDS_MS.findIndex((bound) => bound >= latencyMs);
  return [...Array.from({ length: bucket }, () => 0), total];
}

/** A day of two symbols from the second hour on, the second a minute later; `change` says what is otherwise in a minute, null: it lacks. */
async function fill(change: (symbol: string, index: number) => Partial<PacketMinute> | null): Promise<void> {
  const minutes = [BTC, ETH].flatMap((symbol, late) =>
    Array.from({ length: 1_440 }, (_none, index) => {
      const changed = change(symbol, index);
      const sinceMs = index === 0 ? SINCE_MS + late * MINUTE_MS : null;
      return changed === null ? [] : [minute(symbol, SINCE_MS + (index + late) * MINUTE_MS, { sinceMs, ...changed })];
    }).flat(),
  );
  await store.writePacketMinutes(minutes);
}

/** The figures of days and months once more, from the raw rows alone. */
async function recompute(symbol: string, fromMs: number, toMs: number) {
  const rows = await bench.sql<{ in_time: number; closing_tick_to_packet: number[]; minute: number }>(
    `SELECT in_time, closing_tick_to_packet, minute_ms::float8 AS minute FROM packet_minute
     WHERE symbol = $1 AND minute_ms >= $2 AND minute_ms < $3`,
    [symbol, fromMs, toMs],
  );
  const timesOf = (counted: readonly number[]): number[] =>
    counted.flatMap((total, bucket) => Array.from({ length: total }, () => LATENCY_BOUNDS_MS[bucket] ?? 0));
  const times = rows.flatMap((row) => timesOf(row.closing_tick_to_packet)).sort((one, other) => one - other);
  return {
    inTime: rows.reduce((sum, row) => sum + row.in_time, 0),
    minutes: new Set(rows.map((row) => row.minute)).size,
    packetTotal: times.length,
    p50Ms: times[Math.ceil(times.length * 0.5) - 1],
    p99Ms: times[Math.ceil(times.length * 0.99) - 1],
  };
}

const latency = (symbol: string) => running.client.call.listLatencyDays({ symbol, fromMs: DAY, toMs: DAY + 2 * DAY_MS });
const months = (symbol: string) => running.client.call.listWindowMonths({ symbol, fromMs: DAY, toMs: DAY + 2 * DAY_MS });
const incidents = (kind = '', symbol = '') =>
  running.client.call.listIncidents({ filter: { fromMs: DAY, toMs: DAY + 3 * DAY_MS, symbol, kind, pageSize: 10, after: undefined } });

test('a labeler counts what it stores: packets in time, how long they took, and what it makes of history apart', async () => {
  const log = syntheticLog({ symbol: BTC, seconds: 120, seed: 4 });
  const ends = labelPurely(log).map(({ windowEndMs }) => windowEndMs);
  nowMs = (ends.at(-1) ?? 0) + 2_500;
  const counting = await bench.start({ clock: () => nowMs }, [BTC]);
  await bench.append(log);
  await bench.waitForPackets(BTC, ends.length);
  await counting.close();
  const rows = await bench.sql<{ in_time: number; remade: number; measured: number }>(
    `SELECT sum(in_time)::int AS in_time, sum(remade)::int AS remade,
       (SELECT sum(n)::int FROM packet_minute, unnest(closing_tick_to_packet) AS n) AS measured FROM packet_minute`,
  );
  // Only the last window ended less than 5 s ago; until a packet is in time, nothing is counted.
  expect(rows).toEqual([{ in_time: 1, remade: 0, measured: 1 }]);
  nowMs = DAY + 2 * DAY_MS;
});

test('latency and months are what a count of the raw rows gives, from minutes and, once a day is over, from its sums', async () => {
  await fill((symbol, index) => {
    if (symbol === BTC && index >= 100 && index < 160) return null;
    if (index % 50 === 7) return { inTime: 5, closingTickToPacket: [...counts(30, 5), ...counts(700, 1)] };
    return index % 3 === 0 ? { closingTickToPacket: counts(12, 6), remade: 1 } : {};
  });
  await store.writeGatewayMinutes([
    { symbol: BTC, minuteMs: SINCE_MS, counterId: 'gw_1', packetToGateway: counts(3, 6), closingTickToGateway: counts(33, 6) },
    { symbol: BTC, minuteMs: SINCE_MS, counterId: 'gw_2', packetToGateway: counts(5, 6), closingTickToGateway: counts(40, 6) },
  ]);
  const raw = await recompute(BTC, DAY, DAY + DAY_MS);
  const [first, second] = (await latency(BTC)).days;
  expect(first?.closingTickToPacket).toEqual({
    ...{ packetTotal: raw.packetTotal, p50Ms: raw.p50Ms, p99Ms: raw.p99Ms },
    minutesWithoutFigures: 1_380 - raw.minutes,
  });
  expect(first?.closingTickToPacket?.minutesWithoutFigures).toBe(60);
  expect(first?.closingTickToGateway).toMatchObject({ packetTotal: 12, p50Ms: 39, p99Ms: 46, minutesWithoutFigures: 1_379 });
  expect(second?.closingTickToPacket?.packetTotal).toBe((await recompute(BTC, DAY + DAY_MS, DAY + 2 * DAY_MS)).packetTotal);

  const { months: before, countedFromMs, settledToMs } = await months('');
  const both = [await recompute(BTC, DAY, nowMs), await recompute(ETH, DAY, nowMs)];
  expect([countedFromMs, settledToMs]).toEqual([SINCE_MS, nowMs - MINUTE_MS]);
  expect(before).toEqual([
    {
      monthMs: DAY,
      dueTotal: (settledToMs - SINCE_MS) / 10_000 + (settledToMs - SINCE_MS - MINUTE_MS) / 10_000,
      inTimeTotal: both.reduce((sum, each) => sum + each.inTime, 0),
      withoutFiguresTotal: 6 * ((2 * (settledToMs - SINCE_MS)) / MINUTE_MS - 1 - both.reduce((sum, each) => sum + each.minutes, 0)),
    },
  ]);

  const reported = [await latency(''), await latency(BTC), await months(BTC)];
  await store.fold(DAY + DAY_MS + 3 * 3_600_000);
  expect(await bench.sql('SELECT day_ms::float8 AS day FROM folded_day')).toEqual([{ day: DAY }]);
  await bench.sql('DELETE FROM packet_minute WHERE minute_ms < $1', [DAY + DAY_MS]);
  expect([await latency(''), await latency(BTC), await months(BTC)]).toEqual(reported);
});

test('minutes are kept for 90 days, and days that were added up for ever; a repeated hand-on changes nothing', async () => {
  await fill(() => ({}));
  await fill(() => ({}));
  expect((await recompute(BTC, DAY, nowMs)).inTime).toBe(6 * 1_440);
  await store.fold(DAY + 92 * DAY_MS);
  const left = await bench.sql(
    'SELECT (SELECT count(*)::int FROM packet_minute) AS minutes, (SELECT count(*)::int FROM packet_day) AS days',
  );
  expect(left).toEqual([{ minutes: 0, days: 4 }]);
  await store.fold(DAY + 92 * DAY_MS);
  expect((await months(BTC)).months[0]).toMatchObject({ inTimeTotal: 6 * 1_440 });
});

test('packets late open an incident and packets in time close it; time without figures counts, before counting and after it nothing does', async () => {
  await fill((symbol, index) => {
    if (index >= 300 && index < 305) return { inTime: symbol === BTC ? 2 : 4 };
    if (index === 400) return { inTime: 5 };
    if (symbol === ETH && index >= 700 && index < 720) return null;
    return symbol === ETH && index === 720 ? { counterId: 'run_2', sinceMs: SINCE_MS + 721 * MINUTE_MS + 500 } : {};
  });
  const at = (index: number): number => SINCE_MS + index * MINUTE_MS;
  const [open, away, late] = (await incidents()).incidents;
  expect(open).toMatchObject({ kind: 'packets_late', openedMs: at(1_440), closedMs: 0, symbols: [BTC, ETH] });
  expect(away).toMatchObject({ openedMs: at(701), closedMs: at(721), symbols: [ETH] });
  expect(late).toMatchObject({ openedMs: at(300), closedMs: at(306), symbols: [BTC, ETH], gapIds: [] });
  expect((await incidents('', BTC)).incidents.map(({ incidentId }) => incidentId)).toEqual([open?.incidentId, late?.incidentId]);
  expect((await incidents('gap')).incidents).toEqual([]);
});

test('a span that ends within a minute counts its whole minutes', async () => {
  await fill((_symbol, index) => (index === 5 ? null : {}));
  const until = (toMs: number) => running.client.call.listWindowMonths({ symbol: BTC, fromMs: DAY, toMs });
  const whole = await until(SINCE_MS + 10 * MINUTE_MS);
  expect(whole.months[0]?.dueTotal).toBe(60);
  expect(await until(SINCE_MS + 10 * MINUTE_MS + 31_500)).toEqual(whole);
});

test('two runs that share a minute are one minute', async () => {
  await store.writePacketMinutes([
    minute(BTC, SINCE_MS, { sinceMs: SINCE_MS, inTime: 4 }),
    minute(BTC, SINCE_MS, { counterId: 'run_2', sinceMs: SINCE_MS + 40_000, inTime: 2 }),
  ]);
  expect((await months(BTC)).months[0]).toMatchObject({ inTimeTotal: 6 });
  const { incidents: found } = await incidents('', BTC);
  expect(found.map(({ openedMs }) => openedMs)).toEqual([SINCE_MS + MINUTE_MS]);
});

test('minutes of a symbol that is no longer served do not hold up those of the others', async () => {
  const of = (symbol: string) => ({ symbol, minuteMs: nowMs - MINUTE_MS, packetToGateway: counts(3, 6), closingTickToGateway: [] });
  await running.client.call.recordGatewayMinutes({ counterId: 'gw_1', minutes: [of('GONEUSD-PERP'), of(BTC)] });
  expect(await bench.sql('SELECT symbol FROM gateway_minute')).toEqual([{ symbol: BTC }]);
});

test('every fault of a request is named', async () => {
  const reject = (call: Promise<unknown>) => expect(call).rejects;
  const filter = { fromMs: 1, toMs: 1, symbol: 'x', kind: 'odd', pageSize: 0, after: { openedMs: 1, incidentId: 'no' } };
  await reject(running.client.call.listIncidents({ filter })).toMatchObject({
    faults: ['from_ms', 'to_ms', 'symbol', 'kind', 'page_size', 'after.incident_id'].map((field) => expect.objectContaining({ field })),
  });
  await reject(running.client.call.listLatencyDays({ symbol: 'x', fromMs: DAY, toMs: DAY + 40 * DAY_MS })).toMatchObject({
    faults: [expect.objectContaining({ field: 'symbol' }), expect.objectContaining({ field: 'days' })],
  });
  await reject(running.client.call.listWindowMonths({ symbol: 'XRPUSD-PERP', fromMs: DAY, toMs: DAY + 1 })).toMatchObject({
    reason: 'unknown_symbol',
  });
  const old = { symbol: BTC, minuteMs: DAY + 1, packetToGateway: [1], closingTickToGateway: Array.from({ length: 99 }, () => 0) };
  await reject(running.client.call.recordGatewayMinutes({ counterId: '', minutes: [old] })).toMatchObject({
    faults: ['counter_id', 'minutes.0.minute_ms', 'minutes.0.minute_ms', 'minutes.0.closing_tick_to_gateway'].map((field) =>
      expect.objectContaining({ field }),
    ),
  });
});
