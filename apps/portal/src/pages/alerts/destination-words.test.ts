import { destinationWords } from './destination-words';

const endpoint = (fields: object) => ({
  kind: 'webhook' as const,
  url: 'https://hooks.example.com/a',
  email: null,
  status: 'live' as const,
  event_kinds: ['alert.triggered' as const],
  symbols: [],
  ...fields,
});

test.each([
  ['no endpoint', []],
  ['an endpoint of other kinds', [endpoint({ event_kinds: ['state.changed'] })]],
  ['an endpoint of other symbols', [endpoint({ symbols: ['ETHUSD-PERP'] })]],
])('with %s an alert has no destination', (_case, endpoints) => {
  expect(destinationWords(endpoints, ['BTCUSD-PERP'])).toEqual({
    words: 'Not sent anywhere: no destination receives alert.triggered for this symbol.',
    isNowhere: true,
  });
});

test('an inactive endpoint is not a destination, and is named', () => {
  const endpoints = [endpoint({ status: 'test_pending' }), endpoint({ status: 'disabled', url: 'https://b.example.com/' })];
  expect(destinationWords(endpoints, ['BTCUSD-PERP'])).toEqual({
    words: 'Not sent anywhere: hooks.example.com is unverified, b.example.com is disabled.',
    isNowhere: true,
  });
});

test('live endpoints of the symbol are named', () => {
  const endpoints = [endpoint({ symbols: ['BTCUSD-PERP'] }), endpoint({ status: 'disabled' })];
  expect(destinationWords(endpoints, ['ETHUSD-PERP', 'BTCUSD-PERP'])).toEqual({ words: 'Sent to hooks.example.com.', isNowhere: false });
});

test('other destinations have the name of their service, or their address', () => {
  const endpoints = [
    endpoint({ kind: 'slack', url: 'https://hooks.slack.com/services/…' }),
    endpoint({ kind: 'email', url: 'mailto:desk@example.org', email: 'desk@example.org' }),
  ];
  expect(destinationWords(endpoints, ['BTCUSD-PERP']).words).toBe('Sent to Slack, desk@example.org.');
});
