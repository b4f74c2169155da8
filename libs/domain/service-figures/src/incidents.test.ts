import { shareDown, failureIncidents, lateIncidents } from './counting';
import { type LedgerGap, gapIncident } from './incident';
import { incidentPage, type IncidentsWanted } from './incident';

const MINUTE_MS = 60_000;
const T = Date.UTC(2026, 0, 6);
const at = (minute: number): number => T + minute * MINUTE_MS;
const late = (symbol: string, minute: number, inTime: number, due = 6) => ({ symbol, minuteMs: at(minute), inTime, due });
const spans = (incidents: readonly { readonly openedMs: number; readonly closedMs: number | null }[]) =>
  incidents.map(({ openedMs, closedMs }) => [(openedMs - T) / MINUTE_MS, closedMs === null ? null : (closedMs - T) / MINUTE_MS]);

describe('packets late', () => {
  test('two windows of six without a packet in time open it, one does not, and the first minute that keeps its word closes it', () => {
    const minutes = [late('A', 1, 5), late('A', 2, 4), late('A', 3, 0), late('A', 5, 4)];
    expect(spans(lateIncidents(minutes, [], at(60)))).toEqual([
      [2, 4],
      [5, 6],
    ]);
  });

  test('in the minute in which counting began fewer windows are due', () => {
    expect(lateIncidents([late('A', 0, 2, 3)], [], at(60))).toEqual([]);
    expect(spans(lateIncidents([late('A', 0, 1, 3)], [], at(60)))).toEqual([[0, 1]]);
  });

  test('symbols that are late together are one incident, which names them all; it is open while it reaches the newest figures', () => {
    const found = lateIncidents([late('B', 8, 0), late('A', 7, 1), late('B', 9, 3)], [], at(10));
    expect(spans(found)).toEqual([[7, null]]);
    expect(found[0]).toMatchObject({ kind: 'packets_late', symbols: ['A', 'B'], gapIds: [] });
    expect(found[0]?.sentence).toBe(
      'Packets for A and B were not available 5 s after the end of their windows, in at least 2 of 6 windows per minute. It is ongoing.',
    );
    expect(lateIncidents([late('B', 8, 0), late('A', 7, 1), late('B', 9, 3)], [], at(11))[0]?.incidentId).toBe(found[0]?.incidentId);
  });

  test('time of which nothing is known counts as late, and says so', () => {
    const [alone] = lateIncidents([], [{ symbol: 'A', startMs: at(10), endMs: at(70) }], at(80));
    expect(alone?.sentence).toBe('There is no data on packets for A because labeling was not running; this counts as late. It lasted 1 h.');
    const [joined] = lateIncidents([late('A', 70, 3)], [{ symbol: 'A', startMs: at(10), endMs: at(70) }], at(80));
    expect(spans(joined === undefined ? [] : [joined])).toEqual([[10, 71]]);
    expect(joined?.sentence).toContain('Some of these minutes have no data');
  });
});

describe('gaps', () => {
  const gap: LedgerGap = {
    ...{ gapId: 'gap_1', symbol: 'A', channel: undefined, reason: 'disconnected', resolution: 'resynced' },
    ...{ startMs: T, endMs: T + 30_000 },
  };
  test.each<[name: string, change: Partial<LedgerGap>, expected: string | null]>([
    ['30 s without a connection', {}, 'feed_silent'],
    ['just under 30 s', { endMs: T + 29_999 }, 'gap'],
    ['just under 10 s', { endMs: T + 9_999 }, null],
    ['a feed that did not run', { reason: 'feed_down' }, 'feed_silent'],
    ['messages left out', { reason: 'sequence_gap', channel: 'book', endMs: T + 10_000 }, 'gap'],
    ['one that is open', { endMs: 0, resolution: 'open' }, 'feed_silent'],
    ['rows that all came late', { resolution: 'withdrawn' }, null],
    ['a seam that lost nothing', { reason: 'recording_seam', resolution: 'resumed' }, null],
    ['a seam whose loss is unknown', { reason: 'recording_seam', resolution: 'resynced' }, 'gap'],
  ])('%s', (_name, change, expected) => {
    expect(gapIncident({ ...gap, ...change }, T + 60_000)?.kind ?? null).toBe(expected);
  });

  test('it begins and ends with the entry of the ledger, and names it', () => {
    expect(gapIncident(gap, T + 60_000)).toEqual({
      incidentId: expect.stringMatching(/^inc_[0-9a-hjkmnp-tv-z]{26}$/),
      ...{ kind: 'feed_silent', openedMs: T, closedMs: T + 30_000, symbols: ['A'], gapIds: ['gap_1'] },
      sentence: 'No data was received for A for 30 s: the connection to the venue was lost.',
    });
    expect(gapIncident({ ...gap, reason: 'sequence_gap', channel: 'trade', endMs: 0, resolution: 'open' }, T + 75_000)).toMatchObject({
      closedMs: null,
      sentence: 'Rows of trades for A are missing: the venue skipped messages. This is ongoing.',
    });
  });
});

describe('reads failing', () => {
  test('it takes a share of 5 % and three reads; a minute without failures closes it', () => {
    const minutes = [
      { minuteMs: at(1), answered: 97, failed: 3 },
      { minuteMs: at(2), answered: 57, failed: 3 },
      { minuteMs: at(3), answered: 0, failed: 2 },
      { minuteMs: at(4), answered: 0, failed: 3 },
    ];
    const found = failureIncidents(minutes, at(60));
    expect(spans(found)).toEqual([
      [2, 3],
      [4, 5],
    ]);
    expect(found[0]).toMatchObject({
      symbols: [],
      sentence: '3 of 60 reads (5 %) failed with a server error. It lasted 1 min.',
    });
    expect(spans(failureIncidents(minutes, at(5)))[1]).toEqual([4, null]);
  });
});

test('a page is the part of a span, the newest first, behind a place; incidents of the service are of every symbol', () => {
  const all = [
    ...failureIncidents([{ minuteMs: at(4), answered: 0, failed: 3 }], at(60)),
    ...lateIncidents([late('A', 1, 0), late('B', 9, 0)], [], at(60)),
  ];
  const wanted = { fromMs: T, toMs: at(60), symbol: null, kind: null, after: null, size: 10 };
  const starts = (page: Partial<IncidentsWanted>) =>
    incidentPage(all, { ...wanted, ...page }).map(({ openedMs }) => (openedMs - T) / MINUTE_MS);
  expect(starts({})).toEqual([9, 4, 1]);
  expect(starts({ symbol: 'A' })).toEqual([4, 1]);
  expect(starts({ kind: 'packets_late' })).toEqual([9, 1]);
  expect(starts({ fromMs: at(2), toMs: at(9) })).toEqual([4]);
  expect(starts({ size: 2 })).toEqual([9, 4]);
  const [, second] = incidentPage(all, wanted);
  expect(incidentPage(all, { ...wanted, after: second ?? null }).map(({ openedMs }) => (openedMs - T) / MINUTE_MS)).toEqual([1]);
});

test('a share is rounded down, so that anything missing shows', () => {
  expect(shareDown(9_999_999, 10_000_000)).toBe(0.999999);
  expect(shareDown(10, 10)).toBe(1);
  expect(shareDown(0, 0)).toBeNull();
});
