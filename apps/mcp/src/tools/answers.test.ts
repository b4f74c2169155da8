import { readdirSync, readFileSync } from 'node:fs';
import type { Schemas } from '@market-state/client';
import { ANSWER_BYTES_MAX, answerOf, sizeOf } from '../findings';
import type { Run } from '../session';
import { stateHistory } from './history';
import { explainPacket } from './packet';
import { readRows } from './read-rows';
import { readArguments, type Tool } from './tool';

const PACKETS = new URL('../../../../docs/site/packets/', import.meta.url);
const documented = readdirSync(PACKETS).map((name): [string, Schemas['Packet']] => {
  const { row } = JSON.parse(readFileSync(new URL(name, PACKETS), 'utf8')) as { readonly row: { readonly packet: Schemas['Packet'] } };
  return [name, row.packet];
});
const meta = {
  claim_boundary: 'not_signal_not_advice_not_execution_not_performance',
  response_semantics: { response_state: 'recorded_replay', freshness_state: 'fresh', availability_state: 'available', stale: false },
};
const utc = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 10_000).toISOString();

/** Answer of a tool whose one service call returns `data`. */
async function answered(tool: Tool, given: Readonly<Record<string, unknown>>, data: unknown) {
  const run = {
    session: { delayMs: 0 },
    ask: () => Promise.resolve(data),
    cost: () => ({ charged: 3, ceiling_left: 99_999, receipt_id: `rcp_${'0'.repeat(26)}` }),
    requestId: () => `req_${'0'.repeat(26)}`,
  } as unknown as Run;
  const args = readArguments(tool, given);
  return answerOf(run, await tool.run(run, args), args['detail'] === 'full' ? 'full' : 'concise');
}

test.each(documented)('a short explanation has something in each field that the tool promises: %s', async (_name, packet) => {
  const answer = await answered(explainPacket, { event_id: packet.event_id }, { meta, packet, window_end_utc: utc(0) });
  const fields = packet.client_reason_summary;
  const claims = (stance: string) => packet.reason_details.filter((reason) => reason.stance === stance).length;
  const promised = {
    supports: claims('supports'),
    against: claims('weighs_against'),
    invalidation: fields.invalidation_conditions.length,
    thresholds: Object.keys(packet.state_decision_trace.composites ?? {}).length,
  };
  expect(sizeOf(answer)).toBeLessThanOrEqual(ANSWER_BYTES_MAX.concise);
  for (const [name, total] of Object.entries(promised))
    expect([name, (answer[name] as readonly unknown[]).length >= Math.min(total, 1)]).toEqual([name, true]);
  expect(answer).toMatchObject({ why_now: fields.why_now, next_check: fields.next_check });
});

/** History with a new state in every packet. */
function historyOf(total: number, nextCursor: string | null) {
  const each = <T>(make: (index: number) => T): T[] => Array.from({ length: total }, (_, index) => make(index));
  return {
    meta,
    as_of_utc: utc(total),
    symbol: 'BTCUSD-PERP',
    from_utc: utc(0),
    to_utc: null,
    row_total: total,
    rows: each((index) => ({
      window_end_utc: utc(index),
      state: 'depth_watch',
      gap_flags: [],
      event_id: `evt_${'0'.repeat(26)}`,
      mid_price: 1,
    })),
    state_spans: each((index) => ({ state: 'depth_watch', from_utc: utc(index), to_utc: utc(index), dwell_seconds: 10, ends_with: null })),
    transitions: each((index) => ({ event_time_utc: utc(index), from_state: 'a', to_state: 'b', event_id: `evt_${'0'.repeat(26)}` })),
    next_cursor: nextCursor,
  };
}

describe('a history that does not fit', () => {
  const symbol = 'BTCUSD-PERP';
  test.each(['concise', 'full'] as const)('keeps its newest spans, transitions and packets: %s', async (detail) => {
    const answer = await answered(stateHistory, { symbol, limit: 300, detail }, historyOf(300, null));
    const lastOf = (name: string): unknown => (answer[name] as readonly unknown[]).at(-1);
    expect(answer['truncated']).toBe(true);
    expect(lastOf('spans')).toMatchObject({ from_utc: utc(299) });
    expect(lastOf('transitions')).toMatchObject({ at_utc: utc(299) });
    if (detail === 'full') expect(lastOf('packets')).toMatchObject({ window_end_utc: utc(299) });
  });

  test('is continued by the packets before it, none twice and none left out', async () => {
    const answer = await answered(stateHistory, { symbol, limit: 300, detail: 'full' }, historyOf(300, null));
    const packets = answer['packets'] as readonly { readonly window_end_utc: string }[];
    const omitted = (answer['omitted'] as { readonly packets: number }).packets;
    expect(answer['next']).toMatchObject({ arguments: { from: utc(0), to: packets[0]?.window_end_utc, limit: omitted } });
    expect(packets[0]?.window_end_utc).toBe(utc(omitted));
  });

  test('is continued forward in a longer range, which is read from its oldest packet', async () => {
    const answer = await answered(stateHistory, { symbol, limit: 300, detail: 'full', from: utc(0) }, historyOf(300, 'c'));
    const packets = answer['packets'] as readonly { readonly window_end_utc: string }[];
    expect(packets[0]?.window_end_utc).toBe(utc(0));
    expect(answer['next']).toMatchObject({ arguments: { from: utc(packets.length) } });
  });
});

test('candles that do not fit keep the newest, and the call that goes on ends where they begin', async () => {
  const rows = Array.from({ length: 400 }, (_, index) => ({
    open_time_utc: utc(index),
    close_time_utc: utc(index + 1),
    ...{ open: '1', close: '1', low: '1', high: '1', volume: '1', gap: false, complete: true },
  }));
  const answer = await answered(
    readRows,
    { symbol: 'BTCUSD-PERP', channel: 'candles', detail: 'full' },
    { meta, as_of_utc: utc(400), rows },
  );
  const kept = answer['rows'] as typeof rows;
  expect(kept.at(-1)).toEqual(rows.at(-1));
  expect(answer['next']).toMatchObject({ arguments: { from: utc(0), to: kept[0]?.open_time_utc } });
});
