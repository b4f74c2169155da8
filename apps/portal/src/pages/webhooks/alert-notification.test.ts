import { notificationOf } from './alert-notification';

const data = {
  watchlist_name: 'Night',
  symbol: 'BTCUSD-PERP',
  phase: 'triggered',
  episode_id: 'ep_1',
  window_end_utc: '2026-11-29T12:00:09.999Z',
};

test('a notification names the alert, and opens the window that caused it', () => {
  expect(notificationOf(data)).toEqual({
    title: 'Night: BTCUSD-PERP triggered',
    body: 'Window until 2026-11-29 12:00:09 UTC',
    tag: 'ep_1',
    path: '/replay?symbol=BTCUSD-PERP&at=2026-11-29T12%3A00%3A09.999Z',
  });
});

test('messages of one episode have one tag, and say where they come from', () => {
  expect(notificationOf({ ...data, phase: 'recovered', synthetic: true, late: true })).toMatchObject({
    title: 'Night: BTCUSD-PERP recovered',
    body: 'Window until 2026-11-29 12:00:09 UTC, simulated market, late, after an outage',
    tag: 'ep_1',
  });
});
