import { GapSpans } from '@market-state/live-market';
import { spanOfGap } from '../src/recorder/gap-ledger';
import type { FinishedHour } from '../src/store/archive-files';
import { listGapRows, countGaps, listGapIds } from '../src/store/gaps';
import { LogFixture, quietMarket, START_MS, SYMBOL } from './log-fixture';
import { RecorderUnderTest } from './recorder-under-test';

let recorder: RecorderUnderTest;

beforeEach(async () => {
  recorder = await RecorderUnderTest.open();
});
afterEach(() => recorder.close());

test('gaps, their ends and seams are in the ledger under the ids of the log', async () => {
  const fixture = new LogFixture()
    .connected(START_MS)
    .status(START_MS + 1_000, {
      type: 'gap',
      gapId: 'gap_forgotten',
      channel: 'book',
      startMs: START_MS + 900,
      endMs: 0,
      reason: 'sequence_gap',
    })
    .status(START_MS + 2_000, {
      type: 'gap',
      gapId: 'gap_healed',
      channel: 'trade',
      startMs: START_MS + 1_900,
      endMs: 0,
      reason: 'sequence_gap',
    })
    .status(START_MS + 3_000, { type: 'seam', gapId: 'gap_seam', startMs: START_MS + 2_800, endMs: START_MS + 3_000 });
  await recorder.log.append(SYMBOL, fixture.take());
  await recorder.start();
  await recorder.untilRecorded(4);
  fixture.status(START_MS + 4_000, {
    type: 'resynced',
    gapId: 'gap_healed',
    channel: 'trade',
    startMs: START_MS + 1_900,
    endMs: START_MS + 4_000,
  });
  await recorder.log.append(SYMBOL, fixture.take());
  await recorder.untilRecorded(5);
  const { rows } = await recorder.pool.query('SELECT gap_id, channel, end_ms, reason, resolution FROM gap ORDER BY start_ms');
  expect(rows).toEqual([
    { gap_id: 'gap_forgotten', channel: 'book', end_ms: String(START_MS + 2_800), reason: 'sequence_gap', resolution: 'resumed' },
    { gap_id: 'gap_healed', channel: 'trade', end_ms: String(START_MS + 4_000), reason: 'sequence_gap', resolution: 'resynced' },
    { gap_id: 'gap_seam', channel: null, end_ms: String(START_MS + 3_000), reason: 'recording_seam', resolution: 'resumed' },
  ]);
});

test('a gap is one row under one id, from its opening to its end, in one batch or in several', async () => {
  const gap = { type: 'gap', startMs: START_MS + 900, endMs: 0 } as const;
  const fixture = new LogFixture()
    .connected(START_MS)
    .status(START_MS + 1_000, { type: 'disconnected', reason: 'the venue closed it' })
    .status(START_MS + 1_000, { ...gap, gapId: 'gap_away', reason: 'disconnected' })
    .status(START_MS + 2_000, { ...gap, gapId: 'gap_full', channel: 'book', reason: 'overflow' })
    .status(START_MS + 3_000, { type: 'resynced', gapId: 'gap_full', channel: 'book', startMs: START_MS + 900, endMs: START_MS + 2_900 })
    .status(START_MS + 3_000, { ...gap, gapId: 'gap_trades', channel: 'trade', reason: 'overflow' });
  await recorder.log.append(SYMBOL, fixture.take());
  await recorder.start();
  await recorder.untilRecorded(6);
  const ledger = async (): Promise<unknown[]> => {
    const { rows } = await recorder.pool.query<Record<string, string | null>>(
      'SELECT gap_id, channel, start_ms, end_ms, reason, resolution FROM gap ORDER BY gap_id',
    );
    return rows.map(({ gap_id, channel, start_ms, end_ms, reason, resolution }) => [
      gap_id,
      channel,
      Number(start_ms) - START_MS,
      end_ms === '0' ? 0 : Number(end_ms) - START_MS,
      reason,
      resolution,
    ]);
  };
  const healed = ['gap_full', 'book', 900, 2_900, 'overflow', 'resynced'];
  expect(await ledger()).toEqual([
    ['gap_away', null, 900, 0, 'disconnected', 'open'],
    healed,
    ['gap_trades', 'trade', 900, 0, 'overflow', 'open'],
  ]);
  fixture
    .status(START_MS + 4_000, { ...gap, gapId: 'gap_away', endMs: START_MS + 3_900, reason: 'disconnected' })
    .status(START_MS + 5_000, { type: 'gap', gapId: 'gap_down', startMs: START_MS + 4_500, endMs: START_MS + 5_000, reason: 'feed_down' });
  await recorder.log.append(SYMBOL, fixture.take());
  await recorder.untilRecorded(8);
  expect(await ledger()).toEqual([
    ['gap_away', null, 900, 3_900, 'disconnected', 'resumed'],
    ['gap_down', null, 4_500, 5_000, 'feed_down', 'resumed'],
    healed,
    ['gap_trades', 'trade', 900, 4_500, 'overflow', 'resumed'],
  ]);
});

test('a gap that is withdrawn keeps its row and its span, and counts as none from then on', async () => {
  const gap = { type: 'gap', gapId: 'gap_late', channel: 'trade', startMs: START_MS + 900, endMs: START_MS + 1_000 } as const;
  const fixture = new LogFixture().connected(START_MS).status(START_MS + 1_000, { ...gap, reason: 'sequence_gap' });
  await recorder.log.append(SYMBOL, fixture.take());
  await recorder.start();
  await recorder.untilRecorded(2);
  const hour = { symbol: SYMBOL, channel: 'trade', minExchangeMs: START_MS, maxExchangeMs: START_MS + 5_000 } as FinishedHour;
  const counted = async (): Promise<unknown> => [
    [...(await countGaps(recorder.pool, SYMBOL, START_MS, START_MS + 5_000))],
    await listGapIds(recorder.pool, hour),
  ];
  const memory = new GapSpans();
  const totals = (): unknown => {
    for (const event of fixture.events) if (event.kind === 'feed_status') memory.apply(event);
    return [...memory.totals(START_MS, START_MS + 5_000)];
  };
  expect([await counted(), totals()]).toEqual([[[['trade', 1]], ['gap_late']], [['trade', 1]]]);
  fixture.status(START_MS + 2_000, { ...gap, reason: 'arrived_late' });
  await recorder.log.append(SYMBOL, fixture.take());
  await recorder.untilRecorded(3);
  expect([await counted(), totals()]).toEqual([[[], []], []]);
  const { rows } = await recorder.pool.query('SELECT gap_id, end_ms, reason, resolution FROM gap');
  expect(rows).toEqual([{ gap_id: 'gap_late', end_ms: String(gap.endMs), reason: 'sequence_gap', resolution: 'withdrawn' }]);
  const asOf = async (asOfMs: number): Promise<unknown> =>
    (await listGapRows(recorder.pool, { symbol: SYMBOL, fromMs: 0, toMs: Infinity, asOfMs, limit: 9 })).map(({ resolution }) => resolution);
  const reportedAtMs = fixture.events[2]?.receivedTsMs ?? 0;
  expect([await asOf(reportedAtMs - 1), await asOf(reportedAtMs)]).toEqual([['resumed'], ['withdrawn']]);
});

test('a seam counts as one, and as a gap once a fresh snapshot has ended it', async () => {
  const seam = { gapId: 'gap_seam', startMs: START_MS + 900, endMs: START_MS + 1_000 };
  const fixture = new LogFixture().connected(START_MS).status(START_MS + 1_000, { type: 'seam', ...seam });
  await recorder.log.append(SYMBOL, fixture.take());
  await recorder.start();
  await recorder.untilRecorded(2);
  const counted = async (): Promise<unknown> => {
    const rebuilt = new GapSpans();
    const rows = await listGapRows(recorder.pool, { symbol: SYMBOL, fromMs: 0, toMs: Infinity, asOfMs: Infinity, limit: 9 });
    for (const row of rows) rebuilt.take(spanOfGap(row));
    return [[...(await countGaps(recorder.pool, SYMBOL, START_MS, START_MS + 5_000))], [...rebuilt.totals(START_MS, START_MS + 5_000)]];
  };
  expect(await counted()).toEqual([[['seam', 1]], [['seam', 1]]]);
  fixture.status(START_MS + 2_000, { type: 'resynced', channel: undefined, ...seam });
  await recorder.log.append(SYMBOL, fixture.take());
  await recorder.untilRecorded(3);
  expect(await counted()).toEqual([[['all', 1]], [['all', 1]]]);
});

test('entries trimmed past the position are one gap, and the recorder goes on', async () => {
  const fixture = quietMarket(600);
  const entries = fixture.take();
  await recorder.log.append(SYMBOL, entries.slice(0, 100));
  await recorder.start();
  await recorder.untilRecorded(100);
  await recorder.stop();
  await recorder.log.append(SYMBOL, entries.slice(100));
  await recorder.log.trim(SYMBOL, { epoch: 1, ordinal: 301 });
  await recorder.start();
  await recorder.untilRecorded(600);
  const { rows } = await recorder.pool.query<{ start_ms: string; end_ms: string; reason: string; channel: string | null }>(
    'SELECT start_ms, end_ms, reason, channel FROM gap',
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ reason: 'log_lost', channel: null });
  expect(Number(rows[0]?.start_ms)).toBeLessThanOrEqual(fixture.events[99]?.exchangeTsMs ?? 0);
  expect(Number(rows[0]?.end_ms)).toBe(fixture.events[300]?.exchangeTsMs);
  expect((await recorder.storedEntries()).length).toBe(400);
});

test('a raised epoch is followed; the gap that the feed reports is not written twice', async () => {
  const fixture = quietMarket(100);
  await recorder.log.append(SYMBOL, fixture.take());
  await recorder.start();
  await recorder.untilRecorded(100);
  fixture
    .loseLog(50)
    .status(START_MS + 60_000, { type: 'gap', gapId: 'gap_lost', startMs: START_MS, endMs: START_MS + 60_000, reason: 'log_lost' })
    .trade(START_MS + 60_100, '9', '1', '1');
  await recorder.log.append(SYMBOL, fixture.take());
  await recorder.untilRecorded(152);
  expect((await recorder.pool.query('SELECT gap_id FROM gap')).rows).toEqual([{ gap_id: 'gap_lost' }]);
  expect((await recorder.pool.query('SELECT epoch, ordinal FROM consumer_position')).rows).toEqual([{ epoch: 2, ordinal: '152' }]);
});
