import { messageWords } from './webhook-words';

const meta = { synthetic: true };

test('a message is said in one line, with its symbol, its packet and where that comes from', () => {
  const data = { watchlist_name: 'Desk', phase: 'triggered', symbol: 'SIMUSD-PERP', event_id: 'evt_1' };
  expect(messageWords({ type: 'alert.triggered', data, meta })).toEqual({
    sentence: 'Desk: triggered',
    symbol: 'SIMUSD-PERP',
    eventId: 'evt_1',
    isSimulated: true,
  });
});

test.each([
  ['state.changed', { previous_state: 'depth_watch', state: 'pressure_building' }, 'from Depth watch to Pressure building', null],
  ['packet.created', { state: 'depth_watch', symbol: 'BTCUSD-PERP' }, 'Depth watch', 'BTCUSD-PERP'],
  [
    'export.finished',
    { dataset: 'trades', status: 'ready', symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'] },
    'trades: ready',
    'BTCUSD-PERP, ETHUSD-PERP',
  ],
  ['message.exhausted', { event_kind: 'state.changed' }, 'state.changed could not be delivered to another endpoint', null],
  ['webhook.test', {}, 'a test, which every endpoint gets', null],
] as const)('a message %s has its own sentence', (type, data, sentence, symbol) => {
  expect(messageWords({ type, data, meta: {} })).toEqual({ sentence, symbol, eventId: null, isSimulated: false });
});
