import { createHash } from 'node:crypto';
import type { marketData } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import type { MarketDataClient } from '../../clients/market-data-client';
import { checkReplay } from './proof-checks';

const FEED_CLOCK_MS = Date.parse('2026-01-01T00:05:03.000Z');

function row(channel: string, text: string): marketData.DataRow {
  return {
    channel,
    sequence: 1,
    epoch: 1,
    exchangeTsMs: 1,
    receivedTsMs: 1,
    flags: 0,
    line: Buffer.from(text),
    packetDigest: channel === 'packets' ? 'd'.repeat(64) : '',
    packetWindowEndMs: 0,
  };
}

const ROWS = [row('book', '{"a":1}'), row('packets', '{}'), row('trades', '{"b":2}')];

/** The receipt's chain, computed independently of the code under test. */
function chain(texts: readonly string[]): string {
  return texts.reduce((before, text) => createHash('sha256').update(before).update(text).digest(), Buffer.alloc(32)).toString('hex');
}

const RECEIPT = {
  rowsExpected: 3,
  rowsSent: 3,
  gapIds: [],
  rowsSha256: chain(['{"a":1}', 'd'.repeat(64), '{"b":2}']),
  complete: true,
  reasons: [],
};

/** A data plane that answers a replay with these rows and this receipt. */
function answering(rows: readonly marketData.DataRow[], completeness: marketData.Completeness) {
  const requested: marketData.ReadWindowRequest[] = [];
  const call = {
    getFreshness: async () => ({ feedClockMs: FEED_CLOCK_MS }),
    async *readWindow(request: marketData.ReadWindowRequest) {
      requested.push(request);
      yield { rows: rows.slice(0, 1), end: undefined };
      yield { rows: rows.slice(1), end: { completeness } };
    },
  };
  return { client: { call } as unknown as MarketDataClient, requested };
}

it('replays a window that ended a minute before the feed clock, and hashes it as the receipt describes', async () => {
  const { client, requested } = answering(ROWS, RECEIPT);
  const found = await checkReplay(client, 'BTCUSD-PERP');
  expect(found).toMatchObject({
    symbol: 'BTCUSD-PERP',
    passed: true,
    checkedTotal: 3,
    fromMs: Date.parse('2026-01-01T00:03:50.000Z'),
    toMs: Date.parse('2026-01-01T00:04:00.000Z'),
  });
  expect(requested).toEqual([expect.objectContaining({ startMs: found.fromMs, endMs: found.toMs, channels: [] })]);
});

it.each<[string, readonly marketData.DataRow[], marketData.Completeness]>([
  ['a row was changed', [row('book', '{"a":2}'), ...ROWS.slice(1)], RECEIPT],
  ['a row is missing', ROWS.slice(0, 2), RECEIPT],
  ['rows changed places', [ROWS[2], ROWS[1], ROWS[0]] as marketData.DataRow[], RECEIPT],
  ['the receipt counts another number', ROWS, { ...RECEIPT, rowsSent: 4 }],
])('does not hold when %s', async (_name, rows, receipt) => {
  expect(await checkReplay(answering(rows, receipt).client, 'BTCUSD-PERP')).toMatchObject({ passed: false, checkedTotal: rows.length });
});

it('reports a window that the receipt marks as partial', async () => {
  const partial = { ...RECEIPT, complete: false, reasons: ['gaps_in_window'] };
  expect(await checkReplay(answering(ROWS, partial).client, 'BTCUSD-PERP')).toMatchObject({
    passed: true,
    detail: expect.stringContaining('incomplete: gaps_in_window'),
  });
});

it('has nothing to check before the retained data', async () => {
  const call = {
    getFreshness: async () => {
      throw failedPrecondition('beyond_retention', 'Rows of that time are no longer kept.');
    },
  };
  expect(await checkReplay({ call } as unknown as MarketDataClient, 'BTCUSD-PERP')).toMatchObject({ passed: true, checkedTotal: 0 });
});
