import { rowLine } from '@market-state/market-data';
import { SYMBOL } from './log-fixture';
import { failureOf, faultsOf, startDataPlaneSystem, type System } from './rpc-harness';
import { chainOf, EVERYTHING, fullMarket, packetsOf, readPage, readPages, rowText, WINDOW_MS } from './window-fixture';

const END_MS = WINDOW_MS + 60_000;
const market = fullMarket();
const packets = packetsOf(market);
let system: System;

/** Expected rows in log order, computed from the fixture. */
function expectedLines(startMs: number, endMs: number): string[] {
  const rows = market.events
    .filter(({ exchangeTsMs }) => exchangeTsMs >= startMs && exchangeTsMs < endMs)
    .map((event) => ({ ordinal: event.ordinal, rank: 0, line: rowLine(event) }));
  const made = packets
    .filter(({ windowEndMs }) => windowEndMs >= startMs && windowEndMs < endMs)
    .map(({ closingOrdinal, body }) => ({ ordinal: closingOrdinal, rank: 1, line: body.toString() }));
  return [...rows, ...made].sort((a, b) => a.ordinal - b.ordinal || a.rank - b.rank).map(({ line }) => line);
}

beforeAll(async () => {
  system = await startDataPlaneSystem();
  system.labeling.packets = packets;
  await system.play(market);
});

afterAll(() => system.close());

test('a whole window is every row of it, each packet behind the entry that closed it, and says that it is complete', async () => {
  const { rows, end } = await readPage(system.call);
  expect(rows.map(({ line }) => line.toString())).toEqual(expectedLines(WINDOW_MS, END_MS));
  expect(new Set(rows.map(({ channel }) => channel))).toEqual(new Set(EVERYTHING));
  expect(end.completeness).toEqual({
    rowsExpected: rows.length,
    rowsSent: rows.length,
    gapIds: [],
    rowsSha256: chainOf(rows),
    complete: true,
    reasons: [],
  });
  expect([end.venue, end.gaps, end.nextPageToken]).toEqual(['binance-coinm', [], '']);
  for (const packet of rows.filter(({ channel }) => channel === 'packets')) {
    const closing = market.events.find(({ ordinal }) => ordinal === packet.sequence);
    expect(packet).toMatchObject({ epoch: 1, exchangeTsMs: packet.packetWindowEndMs, receivedTsMs: closing?.receivedTsMs });
    expect(rows[rows.indexOf(packet) - 1]?.sequence).toBeLessThanOrEqual(packet.sequence);
  }
});

test('channels are chosen by name, in any order, and each is whole by itself', async () => {
  for (const channel of EVERYTHING) {
    const { rows, end } = await readPage(system.call, { channels: [channel] });
    expect(rows.every((row) => row.channel === channel)).toBe(true);
    expect([end.completeness?.complete, end.completeness?.rowsExpected]).toEqual([true, rows.length]);
    expect(rows.length).toBeGreaterThan(0);
  }
  const both = await readPage(system.call, { channels: ['trades', 'book'] });
  const other = await readPage(system.call, { channels: ['book', 'trades'] });
  expect(both.rows.map(rowText)).toEqual(other.rows.map(rowText));
});

test.each([1, 7, 100, 601])('pages of %i rows are the window cut in pieces, and only the last is complete', async (pageSize) => {
  const startMs = Math.max(WINDOW_MS, END_MS - 2_000 * pageSize);
  const whole = await readPage(system.call, { startMs });
  const pages = await readPages(system.call, { startMs, pageSize });
  const rows = pages.flatMap((page) => page.rows);
  expect(rows.map(rowText)).toEqual(whole.rows.map(rowText));
  expect(pages.every((page, index) => page.rows.length === pageSize || index === pages.length - 1)).toBe(true);
  for (const [index, { end }] of pages.entries()) {
    const sent = pages.slice(0, index + 1).flatMap((page) => page.rows);
    const isLast = index === pages.length - 1;
    expect(end.completeness).toMatchObject({
      rowsSent: sent.length,
      rowsExpected: rows.length,
      rowsSha256: chainOf(sent),
      complete: isLast,
      reasons: isLast ? [] : ['more_rows_follow'],
    });
  }
});

test('as of an instant, what was received later is not there, and the answer is the same for ever', async () => {
  const asOfMs = WINDOW_MS + 30_000;
  const { rows, end } = await readPage(system.call, { asOfMs });
  expect(rows.every(({ receivedTsMs }) => receivedTsMs <= asOfMs)).toBe(true);
  expect(rows).toHaveLength(
    market.events.filter(({ exchangeTsMs, receivedTsMs }) => exchangeTsMs >= WINDOW_MS && receivedTsMs <= asOfMs).length + 3,
  );
  expect([end.asOfMs, end.completeness?.reasons]).toEqual([asOfMs, ['window_not_finished']]);
});

test('a window that is not recorded to its end and closing lag is not finished', async () => {
  const lastTickMs = market.events.at(-1)?.exchangeTsMs ?? 0;
  const { end: open } = await readPage(system.call, { startMs: lastTickMs - 20_000, endMs: lastTickMs - 999, channels: ['book'] });
  expect(open.completeness).toMatchObject({ complete: false, reasons: ['window_not_finished'] });
  const { end: closed } = await readPage(system.call, { startMs: lastTickMs - 20_000, endMs: lastTickMs - 1_000, channels: ['book'] });
  expect(closed.completeness).toMatchObject({ complete: true });
});

test('packets that are still to be made leave a window unfinished', async () => {
  system.labeling.packets = packets.filter(({ windowEndMs }) => windowEndMs < END_MS - 10_000);
  const { end } = await readPage(system.call);
  expect(end.completeness).toMatchObject({ complete: false, reasons: ['window_not_finished'] });
  system.labeling.packets = packets;
});

test('packets are expected as far as they were known as of the instant', async () => {
  const expected = async (asOfMs: number) => {
    const { rows, end } = await readPage(system.call, { asOfMs, channels: ['packets'] });
    expect([end.completeness?.rowsExpected, end.completeness?.reasons]).toEqual([rows.length, ['window_not_finished']]);
    return rows.length;
  };
  expect(await expected(WINDOW_MS - 30_000)).toBe(0);
  expect(await expected(WINDOW_MS + 25_000)).toBe(
    packets.filter(({ windowEndMs }) => windowEndMs >= WINDOW_MS && windowEndMs <= WINDOW_MS + 20_000).length,
  );
});

test('packets that the packet log counts and does not give are missing', async () => {
  system.labeling.packets = packets.map((packet) =>
    packet.windowEndMs === WINDOW_MS + 20_000 ? { ...packet, closingOrdinal: 0 } : packet,
  );
  const { end } = await readPage(system.call);
  expect(end.completeness).toMatchObject({ complete: false, reasons: ['rows_missing'] });
  system.labeling.packets = packets;
});

test('without labeling the rows of the log are read, and packets are said to be unreachable', async () => {
  system.labeling.isAway = true;
  const { rows, end } = await readPage(system.call);
  system.labeling.isAway = false;
  expect(rows.map(({ line }) => line.toString())).toEqual(
    market.events.filter(({ exchangeTsMs }) => exchangeTsMs >= WINDOW_MS && exchangeTsMs < END_MS).map(rowLine),
  );
  expect(end.completeness).toMatchObject({ complete: false, reasons: ['packets_unreachable'] });
});

test('a window from before the first book has its beginning missing', async () => {
  const { end } = await readPage(system.call, { startMs: WINDOW_MS - 61_000, endMs: WINDOW_MS - 30_000, channels: ['book'] });
  expect(end.completeness).toMatchObject({ complete: false, reasons: ['before_retention'] });
});

test('a window that ends before what is kept is refused with the oldest time kept', async () => {
  const refused = async (request: Parameters<typeof readPage>[1]) => failureOf(readPage(system.call, request));
  const oldest = String(WINDOW_MS - 60_000 + 100);
  expect(await refused({ startMs: 1, endMs: 2 })).toMatchObject({
    code: 'FAILED_PRECONDITION',
    reason: 'beyond_retention',
    metadata: { oldest_ms: oldest },
  });
  await system.pool.query(`INSERT INTO retention (channel, hot_from_ms, archive_from_ms) VALUES ('book', $1, $1)`, [WINDOW_MS + 10_000]);
  const channels = ['book'];
  expect(await refused({ channels, endMs: WINDOW_MS + 10_000 })).toMatchObject({
    reason: 'beyond_retention',
    metadata: { oldest_ms: String(WINDOW_MS + 10_000) },
  });
  expect((await readPage(system.call, { channels })).end.completeness?.reasons).toContain('before_retention');
  expect((await readPage(system.call, { channels: ['trades'] })).end.completeness?.complete).toBe(true);
  await system.pool.query('DELETE FROM retention');
});

test('a row that was written and is gone is missing, as counted when it was written', async () => {
  const { rows } = await readPage(system.call, { channels: ['trades'] });
  const [victim] = rows;
  await system.owner.query('CREATE TABLE kept AS SELECT * FROM log_entry WHERE symbol = $1 AND ordinal = $2', [SYMBOL, victim?.sequence]);
  await system.owner.query('DELETE FROM log_entry WHERE symbol = $1 AND ordinal = $2', [SYMBOL, victim?.sequence]);
  const whole = { startMs: WINDOW_MS - 60_000, endMs: WINDOW_MS + 3_000_000, channels: ['trades'] };
  const { end } = await readPage(system.call, whole);
  await system.owner.query('INSERT INTO log_entry SELECT * FROM kept');
  await system.owner.query('DROP TABLE kept');
  const trades = market.events.filter(({ kind }) => kind === 'trade').length;
  expect([trades, end.completeness?.rowsSent]).toEqual([trades, trades - 1]);
});

test('a future window is empty and not finished', async () => {
  const { rows, end } = await readPage(system.call, { startMs: END_MS + 600_000, endMs: END_MS + 700_000 });
  expect([rows, end.completeness?.complete]).toEqual([[], false]);
  expect(end.completeness?.reasons).toContain('window_not_finished');
});

test('every fault of a request is named at once', async () => {
  const faults = (request: Parameters<typeof readPage>[1]) => faultsOf(readPage(system.call, request));
  expect(
    await faults({ symbol: 'x', startMs: -1, endMs: 9e15, channels: ['nothing'], asOfMs: -1, pageSize: 5_001, pageToken: '!' }),
  ).toEqual(['as_of_ms', 'channels', 'end_ms', 'page_size', 'page_token', 'start_ms', 'symbol']);
  expect(await faults({ endMs: WINDOW_MS })).toEqual(['end_ms']);
  expect(await faults({ endMs: WINDOW_MS + 3_600_001 })).toEqual(['end_ms']);
  expect(await faults({ channels: ['book', 'book'] })).toEqual(['channels']);
  expect(await failureOf(readPage(system.call, { symbol: 'DOGEUSD-PERP' }))).toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_symbol' });
  const { end } = await readPage(system.call, { pageSize: 1 });
  for (const other of [{ startMs: WINDOW_MS + 1 }, { endMs: END_MS - 1 }, { channels: ['book'] }]) {
    expect(await faults({ ...other, pageToken: end.nextPageToken })).toEqual(['page_token']);
  }
});

test('gaps of the requested channels are in the response, and make the window incomplete; an earlier receipt stays the same', async () => {
  const { end: before } = await readPage(system.call, { channels: ['book'] });
  expect(before.completeness?.complete).toBe(true);
  const gap = (gapId: string, channel: 'book' | undefined, startMs: number, endMs: number) =>
    market.status(END_MS + 40_000, { type: 'gap', gapId, channel, startMs, endMs, reason: 'sequence_gap' });
  gap('gap_book', 'book', WINDOW_MS + 5_000, WINDOW_MS + 6_000);
  gap('gap_all', undefined, WINDOW_MS - 5_000, WINDOW_MS + 1);
  gap('gap_before', undefined, WINDOW_MS - 5_000, WINDOW_MS);
  gap('gap_open', 'book', END_MS - 1, 0);
  const late = { type: 'gap', gapId: 'gap_late', channel: 'trade', startMs: WINDOW_MS + 7_000, endMs: WINDOW_MS + 8_000 } as const;
  market.status(END_MS + 40_000, { ...late, reason: 'sequence_gap' }).status(END_MS + 40_000, { ...late, reason: 'arrived_late' });
  market.tick(END_MS + 40_250);
  await system.play(market);
  const { end } = await readPage(system.call, { channels: ['book'] });
  expect(end.completeness).toMatchObject({ complete: false, gapIds: ['gap_all', 'gap_book', 'gap_open'], reasons: ['gaps_in_window'] });
  expect(end.gaps[1]).toEqual({
    gapId: 'gap_book',
    symbol: SYMBOL,
    channel: 'book',
    startMs: WINDOW_MS + 5_000,
    endMs: WINDOW_MS + 6_000,
    reason: 'sequence_gap',
    resolution: 'resumed',
    place: undefined,
  });
  expect((await readPage(system.call, { channels: ['book'], asOfMs: before.asOfMs })).end).toEqual(before);
  const { end: trades } = await readPage(system.call, { channels: ['trades'] });
  expect(trades.completeness?.gapIds).toEqual(['gap_all']);
  expect(trades.gaps.map(({ gapId, resolution }) => [gapId, resolution])).toEqual([
    ['gap_all', 'resumed'],
    ['gap_late', 'withdrawn'],
  ]);
  const { end: clean } = await readPage(system.call, { startMs: WINDOW_MS + 6_000, endMs: END_MS - 1, channels: ['book'] });
  expect(clean.completeness).toMatchObject({ complete: true, gapIds: [] });
});

test('a window over a seam is whole, unless a fresh snapshot ended the seam: what was lost there is unknown then', async () => {
  const request = { startMs: WINDOW_MS + 10_000, endMs: END_MS - 10_000, channels: ['book'] };
  const spanned = { startMs: WINDOW_MS + 20_000, endMs: WINDOW_MS + 20_400 };
  market.status(END_MS + 50_000, { type: 'seam', gapId: 'gap_seam', ...spanned }).tick(END_MS + 50_250);
  await system.play(market);
  const { end } = await readPage(system.call, request);
  expect(end.completeness).toMatchObject({ complete: true, gapIds: [], reasons: [] });
  expect(end.gaps).toMatchObject([{ gapId: 'gap_seam', reason: 'recording_seam', resolution: 'resumed' }]);
  market.status(END_MS + 51_000, { type: 'resynced', gapId: 'gap_seam', channel: 'book', ...spanned }).tick(END_MS + 51_250);
  await system.play(market);
  const { end: after } = await readPage(system.call, request);
  expect(after.completeness).toMatchObject({ complete: false, gapIds: ['gap_seam'], reasons: ['seam_loss_unknown'] });
  expect((await readPage(system.call, { ...request, asOfMs: end.asOfMs })).end).toEqual(end);
});

test('a channel whose archived hour cannot be read is left out and said to be unreadable, the others are whole', async () => {
  const { rows: before } = await readPage(system.call, { channels: ['trades'] });
  await system.pool.query(
    `INSERT INTO archive_file SELECT symbol, channel, hour_ms, 'gone.parquet', row_total, 1, repeat('0', 64), repeat('0', 64),
      first_ordinal, last_ordinal, min_exchange_ms, max_exchange_ms, '{}', 0
     FROM channel_hour WHERE channel = 'book'`,
  );
  await system.pool.query(`INSERT INTO retention (channel, hot_from_ms, archive_from_ms) VALUES ('book', $1, 0)`, [END_MS + 3_600_000]);
  const { rows, end } = await readPage(system.call, { channels: ['book', 'trades'] });
  expect(rows.map(rowText)).toEqual(before.map(rowText));
  expect(end.completeness).toMatchObject({ complete: false, rowsSent: before.length });
  expect(end.completeness?.reasons).toContain('archive_unreadable');
  await system.pool.query('DELETE FROM retention');
  await system.pool.query('DELETE FROM archive_file');
});

test('a channel that is asked for by name and that the venue does not report is never whole', async () => {
  await system.play(market.connected(END_MS + 52_000, ['book', 'trade']).tick(END_MS + 52_250));
  const window = { startMs: WINDOW_MS + 10_000, endMs: WINDOW_MS + 20_000 };
  const { end } = await readPage(system.call, { ...window, channels: ['trades', 'liquidations'] });
  expect(end.completeness).toMatchObject({ complete: false, reasons: ['channel_not_reported'] });
  const all = await readPage(system.call, window);
  expect([all.end.completeness?.complete, new Set(all.rows.map(({ channel }) => channel)).has('liquidations')]).toEqual([true, false]);
});

test('a gap of the requested channel makes a window incomplete, however many other channels have', async () => {
  const startMs = WINDOW_MS + 10_000;
  await system.pool.query(
    `INSERT INTO gap SELECT 'gap_many_' || n, $1, 'book', $2::bigint, $2 + 5, 'overflow', 'resumed' FROM generate_series(1, 4000) AS n
     UNION ALL SELECT 'gap_trade', $1, 'trade', $2 + 10, $2 + 20, 'overflow', 'resumed'`,
    [SYMBOL, startMs],
  );
  await system.pool.query(
    `INSERT INTO gap_telling SELECT gap_id, start_ms + 100, end_ms, resolution FROM gap WHERE gap_id LIKE 'gap_many_%' OR gap_id = 'gap_trade'`,
  );
  const { end } = await readPage(system.call, { channels: ['trades'], startMs, endMs: startMs + 10_000 });
  expect([end.completeness?.complete, end.completeness?.gapIds]).toEqual([false, ['gap_trade']]);
});
