import { shrink } from './shrink';

const packet = (end: string) => ({
  window_end_utc: end,
  state: 'depth_watch',
  headline: 'H',
  packet_digest: 'd',
  composites: { flow: { score: 0.1234567, watch: 0.2, elevated: 0.3, level: 'low' }, regime: null },
});

test('a history keeps its newest packet whole, and what charts and tables show of the others', () => {
  const body = { rows: [packet('2026-11-30T00:00:20.000Z'), packet('2026-11-30T00:00:10.000Z')], state_spans: [1], transitions: [1] };
  expect(shrink({ path: '/history', view: 'compact', body }).body).toEqual({
    rows: [
      body.rows[0],
      {
        window_end_utc: '2026-11-30T00:00:10.000Z',
        state: 'depth_watch',
        composites: { flow: { score: 0.1235, watch: 0.2, elevated: 0.3 }, regime: null },
      },
    ],
    state_spans: [],
    transitions: [],
  });
});

test('whole packets of a history keep their states', () => {
  const row = { symbol: 'A', window_end_utc: '2026-11-30T00:00:10.000Z', state: 'depth_watch', state_label: 'Depth watch' };
  const body = { rows: [{ ...packet(row.window_end_utc), ...row }] };
  expect(shrink({ path: '/history', body }).body).toMatchObject({ rows: [row] });
  expect(JSON.stringify(shrink({ path: '/history', body }).body)).not.toContain('composites');
});

test('receipts and hits are as many as the page shows; other answers stay', () => {
  const many = Array.from({ length: 100 }, (_, id) => ({ id }));
  expect(shrink({ path: '/usage', body: { receipts: many } }).body).toEqual({ receipts: many.slice(0, 20) });
  expect(shrink({ path: '/events/search', body: { rows: many } }).body).toEqual({ rows: many.slice(0, 30) });
  expect(shrink({ path: '/latest', body: { rows: many } }).body).toEqual({ rows: many });
});
