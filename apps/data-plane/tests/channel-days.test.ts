import type { marketData } from '@market-state/contracts';
import type { Channel, MarketEvent } from '@market-state/market-data';
import { silentLogger } from '@market-state/logging';
import { waitUntil } from '@market-state/testing';
import { INCIDENT_SOURCES } from '../src/rpc/list-incidents';
import { startDayTables } from '../src/catalog/day-tables';
import type { VenueView } from '../src/market/venues';
import { toPublicChannel } from '../src/window/public-channels';
import { LogFixture, SYMBOL } from './log-fixture';
import { failureOf, faultsOf, startDataPlaneSystem, type System } from './rpc-harness';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Has the silent hour, the restart, the seam and the late row. */
const DAY = Date.UTC(2026, 0, 6);
const START_MS = DAY - 10 * MINUTE_MS;
const SILENT = { startMs: DAY + 6 * HOUR_MS, endMs: DAY + 7 * HOUR_MS };
const RESTART = { startMs: DAY + 12 * HOUR_MS, endMs: DAY + 12 * HOUR_MS + 10 * MINUTE_MS };
const SEAM = { startMs: DAY + 18 * HOUR_MS, endMs: DAY + 18 * HOUR_MS + 3_000 };
const OPENED_MS = DAY + DAY_MS + 2 * HOUR_MS;
const LATE_MS = DAY + DAY_MS + 4 * HOUR_MS + 30_000;

let system: System;
const fixture = new LogFixture(SYMBOL);
const written: MarketEvent[] = [];

beforeAll(async () => {
  system = await startDataPlaneSystem();
  fixture.connected(START_MS, ['book', 'trade', 'context']);
});

afterAll(() => system.close());

/** Records a book, a trade and a tick per minute, except in the silent hour and while the feed is down. */
async function play(fromMs: number, toMs: number): Promise<void> {
  for (let atMs = fromMs; atMs < toMs; atMs += MINUTE_MS) {
    if (atMs === SILENT.startMs) gap('silent', 'book', { startMs: atMs, endMs: 0 }, 'disconnected', atMs + MINUTE_MS);
    if (atMs === SILENT.endMs) fixture.status(atMs, { type: 'resynced', gapId: 'gap_silent', channel: 'book', ...SILENT });
    if (atMs === RESTART.endMs) gap('restart', undefined, RESTART, 'feed_down', atMs);
    if (atMs === SEAM.startMs + MINUTE_MS) fixture.status(atMs, { type: 'seam', gapId: 'gap_seam', ...SEAM });
    if (atMs === OPENED_MS) gap('open', 'trade', { startMs: atMs, endMs: 0 }, 'overflow', atMs);
    if (atMs >= RESTART.startMs && atMs < RESTART.endMs) continue;
    const venueId = String(atMs / MINUTE_MS);
    if (atMs < SILENT.startMs || atMs >= SILENT.endMs) fixture.book(atMs, venueId, '100', '101');
    fixture.trade(atMs + 1, venueId, '100.5', '1').tick(atMs + 2);
  }
  await record();
}

function gap(
  name: string,
  channel: Channel | undefined,
  span: { readonly startMs: number; readonly endMs: number },
  reason: 'disconnected' | 'feed_down' | 'overflow',
  reportedAtMs: number,
): void {
  fixture.status(reportedAtMs, { type: 'gap', gapId: `gap_${name}`, channel, ...span, reason });
}

async function record(): Promise<void> {
  written.push(...fixture.events.splice(0));
  const entries = fixture.take();
  for (let from = 0; from < entries.length; from += 1_000) await system.log.append(SYMBOL, entries.slice(from, from + 1_000));
  await waitUntil('recorded', async () => {
    const { rows } = await system.pool.query<{ ordinal: string }>('SELECT ordinal FROM consumer_position');
    return Number(rows[0]?.ordinal ?? 0) >= (entries.at(-1)?.ordinal ?? 0);
  });
}

async function daysOf(request: Partial<marketData.ListChannelDaysRequest> = {}): Promise<marketData.ChannelDay[]> {
  const { days } = await system.call.listChannelDays({ symbol: SYMBOL, channels: [], fromMs: 0, toMs: 0, asOfMs: 0, ...request });
  return days;
}

/** Expected rows of a kind on the day, received by an instant. */
function rowsByHand(kind: MarketEvent['kind'], asOfMs: number): number {
  const isOfDay = ({ exchangeTsMs }: MarketEvent): boolean => exchangeTsMs >= DAY && exchangeTsMs < DAY + DAY_MS;
  return written.filter((event) => event.kind === kind && isOfDay(event) && event.receivedTsMs <= asOfMs).length;
}

test('a day with a silent hour, a restart and a seam is what a count by hand says, while it goes on and when it is over', async () => {
  await play(START_MS, DAY + 14 * HOUR_MS);
  const [day, before] = (await daysOf({ channels: ['book'] })).toReversed();
  const asOfMs = DAY + 14 * HOUR_MS - MINUTE_MS + 1;
  expect(day).toEqual({
    channel: 'book',
    dayMs: DAY,
    condition: 'pending',
    reasons: ['day_not_finished', 'disconnected', 'feed_down'],
    rowTotal: rowsByHand('book', asOfMs),
    observedMs: asOfMs + 1 - DAY - HOUR_MS - 10 * MINUTE_MS,
    elapsedMs: asOfMs + 1 - DAY,
    gapIds: ['gap_silent', 'gap_restart'],
    gapTotal: 2,
    lastModifiedMs: asOfMs,
  });
  expect(before).toMatchObject({ dayMs: DAY - DAY_MS, condition: 'degraded', reasons: ['before_retention'], rowTotal: 10 });
  expect(before).toMatchObject({ observedMs: 10 * MINUTE_MS, elapsedMs: DAY_MS, lastModifiedMs: DAY });

  await play(DAY + 14 * HOUR_MS, DAY + DAY_MS + 3 * HOUR_MS);
  const [book, trades, context, liquidations] = await daysOf({ fromMs: DAY, toMs: DAY + 1 });
  const over = { dayMs: DAY, condition: 'degraded', elapsedMs: DAY_MS, lastModifiedMs: DAY + DAY_MS };
  const restart = { reasons: ['feed_down'], observedMs: DAY_MS - 10 * MINUTE_MS, gapIds: ['gap_restart'] };
  expect(book).toMatchObject({ ...over, reasons: ['disconnected', 'feed_down'], observedMs: DAY_MS - HOUR_MS - 10 * MINUTE_MS });
  expect(book?.rowTotal).toBe(24 * 60 - 70);
  expect(trades).toMatchObject({ ...over, ...restart, rowTotal: 24 * 60 - 10 });
  expect(context).toMatchObject({ ...over, ...restart, reasons: ['feed_down', 'no_rows'], rowTotal: 0 });
  expect(liquidations).toMatchObject({ condition: 'missing', reasons: ['channel_not_reported', 'feed_down', 'no_rows'], observedMs: 0 });
  expect([book, trades].map((day) => day?.rowTotal)).toEqual([rowsByHand('book', Infinity), rowsByHand('trade', Infinity)]);
});

test('as of an earlier instant it is what was said then', async () => {
  const asOfMs = DAY + 6 * HOUR_MS + 30 * MINUTE_MS + 1;
  const [day] = await daysOf({ channels: ['book'], fromMs: DAY, asOfMs });
  expect(day).toMatchObject({ condition: 'pending', reasons: ['day_not_finished', 'disconnected'], gapIds: ['gap_silent'] });
  expect(day).toMatchObject({ rowTotal: rowsByHand('book', asOfMs), observedMs: 6 * HOUR_MS, lastModifiedMs: asOfMs });
});

test('a past day changes only with a late row or a later gap report', async () => {
  const trades = { channels: ['trades'], fromMs: DAY, toMs: DAY + DAY_MS };
  const before = await daysOf(trades);
  fixture.tick(LATE_MS - 1);
  await record();
  expect(await daysOf(trades)).toEqual(before);
  fixture.trade(DAY + DAY_MS - 500, 'late', '100.5', '1').tick(LATE_MS + 1_000);
  await record();
  const [late] = await daysOf(trades);
  expect(late).toEqual({ ...before[0], rowTotal: 24 * 60 - 9, lastModifiedMs: LATE_MS + 999 });
  const book = { channels: ['book'], fromMs: DAY, toMs: DAY + DAY_MS };
  const [whole] = await daysOf(book);
  gap('too_late', 'book', { startMs: DAY + 20 * HOUR_MS, endMs: DAY + 20 * HOUR_MS + 500 }, 'overflow', LATE_MS + MINUTE_MS);
  fixture.tick(LATE_MS + 2 * MINUTE_MS);
  await record();
  const [cut] = await daysOf(book);
  expect(cut).toMatchObject({ observedMs: (whole?.observedMs ?? 0) - 500, gapTotal: 3 });
  expect(cut?.reasons).toEqual(['disconnected', 'feed_down', 'overflow']);
  expect(cut?.lastModifiedMs).toBe(LATE_MS + MINUTE_MS + 5);
});

test('a gap that goes on over midnight costs both days what each has of it', async () => {
  await play(LATE_MS + 2 * MINUTE_MS + 30_000, DAY + 2 * DAY_MS + HOUR_MS + MINUTE_MS);
  const [day, next] = await daysOf({ channels: ['trades'], fromMs: DAY + DAY_MS });
  expect(day).toMatchObject({ reasons: ['overflow'], observedMs: 2 * HOUR_MS });
  expect(next).toMatchObject({ reasons: ['day_not_finished', 'overflow'], observedMs: 0 });
});

test('catalog tables give every day the condition that a query for that day gives, now and as of any earlier time', async () => {
  const venue = { channels: ['book', 'trade', 'context'] } as unknown as VenueView;
  const venues = { of: () => venue };
  const tables = startDayTables({ pool: system.pool, venues, logger: silentLogger(), wallNowMs: Date.now, symbols: [SYMBOL] });
  try {
    const instants = [0, DAY - MINUTE_MS, DAY + 6 * HOUR_MS, DAY + DAY_MS - 1, DAY + DAY_MS, LATE_MS - 1, LATE_MS + MINUTE_MS, OPENED_MS];
    for (const asOfMs of instants) {
      const reported = (await tables.of(SYMBOL, asOfMs)).map(
        ({ channel, dayMs, condition }) => `${toPublicChannel(channel)} ${dayMs} ${condition}`,
      );
      const alone = (await daysOf({ asOfMs })).map(({ channel, dayMs, condition }) => `${channel} ${dayMs} ${condition}`);
      expect([asOfMs, reported.sort()]).toEqual([asOfMs, alone.sort()]);
    }
  } finally {
    await tables.close();
  }
  const { symbols } = await system.call.getCatalog({ asOfMs: 0 });
  const days = new Map(symbols[0]?.channels.map((channel) => [channel.channel, channel.days]));
  expect(days.get('trades')?.[0]).toEqual({ dayMs: DAY - DAY_MS, condition: 'degraded' });
  expect(days.get('control')).toEqual([]);
});

test('what cannot be answered is refused, every fault at once', async () => {
  const faults = (request: Partial<marketData.ListChannelDaysRequest>): Promise<unknown> => faultsOf(daysOf(request));
  expect(await faults({ symbol: 'btc', channels: ['control'], fromMs: -1, asOfMs: -1 })).toEqual([
    'as_of_ms',
    'channels',
    'from_ms',
    'symbol',
  ]);
  expect(await faults({ channels: ['book', 'book'] })).toEqual(['channels']);
  expect(await daysOf({ channels: ['book'], fromMs: DAY, toMs: DAY + 31 * DAY_MS })).toHaveLength(3);
  expect(await faults({ fromMs: DAY, toMs: DAY + 31 * DAY_MS + 1 })).toEqual(['from_ms']);
  expect(await faults({ fromMs: DAY - 40 * DAY_MS })).toEqual(['from_ms']);
  expect(await failureOf(daysOf({ symbol: 'NONEUSD-PERP' }))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await daysOf({ fromMs: DAY + 5 * DAY_MS })).toEqual([]);
});

test('incidents of a span are what its ledger says, as long as it lost something for long enough', async () => {
  const span = { symbols: [SYMBOL], fromMs: DAY, toMs: DAY + 2 * DAY_MS, nowMs: OPENED_MS + HOUR_MS };
  const found = (await Promise.all(INCIDENT_SOURCES.map((source) => source(system, span)))).flat();
  const shown = found.map(({ kind, openedMs, closedMs, gapIds, sentence }) => ({ kind, openedMs, closedMs, gapIds, sentence }));
  expect(shown.toSorted((one, other) => one.openedMs - other.openedMs)).toEqual([
    {
      ...{ kind: 'feed_silent', openedMs: SILENT.startMs, closedMs: SILENT.endMs, gapIds: ['gap_silent'] },
      sentence: 'No data was received for BTCUSD-PERP for 1 h: the connection to the venue was lost.',
    },
    {
      ...{ kind: 'feed_silent', openedMs: RESTART.startMs, closedMs: RESTART.endMs, gapIds: ['gap_restart'] },
      sentence: 'No data was received for BTCUSD-PERP for 10 min: the feed did not run.',
    },
    {
      ...{ kind: 'gap', openedMs: OPENED_MS, closedMs: null, gapIds: ['gap_open'] },
      sentence: 'Rows of trades for BTCUSD-PERP are missing: messages arrived faster than the feed could process them. This is ongoing.',
    },
  ]);
  const filter = { fromMs: Date.now(), toMs: 1, symbol: SYMBOL, kind: 'odd', pageSize: 1, after: undefined };
  await expect(faultsOf(system.call.listIncidents({ filter }))).resolves.toEqual(['kind', 'to_ms']);
  const recent = { ...filter, toMs: Date.now() + HOUR_MS, kind: '' };
  expect((await system.call.listIncidents({ filter: recent })).incidents.map(({ gapIds }) => gapIds)).toEqual([['gap_open']]);
});
