import { bodyOf, type MessageRow } from './message';

const rowOf = (data: Record<string, unknown>): MessageRow => ({
  message_id: 'msg_1',
  tenant_id: 'ten_1',
  position: '1',
  event_kind: 'alert.triggered',
  occasion: 'alert rul_1',
  symbol: 'BTCUSD-PERP',
  created_ms: '1',
  data,
  meta: {},
});

test('a body that would be too large keeps ids and routes, and the first hundred gaps', () => {
  const gaps = Array.from({ length: 400 }, (_, index) => `gap_${String(index).padStart(60, '0')}`);
  const body = bodyOf(rowOf({ rule_id: 'rul_1', gap_ids: gaps, condition: {} }));
  expect(body.length).toBeLessThanOrEqual(20 * 1_024);
  const { data } = JSON.parse(body.toString()) as { data: object };
  expect(data).toEqual({ rule_id: 'rul_1', gap_ids: gaps.slice(0, 100), thin: true });
});

test('a body that is small enough is whole', () => {
  const data = { rule_id: 'rul_1', gap_ids: ['gap_1'], condition: { state: 'depth_watch' } };
  expect(JSON.parse(bodyOf(rowOf(data)).toString())).toMatchObject({ data });
});
