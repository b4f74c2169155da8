import { certificateNameOf, serviceOfNames } from './certificates';

test('the name of a service is found again', () => {
  expect(serviceOfNames(`DNS:${certificateNameOf('data-plane')}`)).toBe('data-plane');
  expect(serviceOfNames(`DNS:localhost, IP Address:127.0.0.1, DNS:${certificateNameOf('gateway')}`)).toBe('gateway');
});

test.each([
  undefined,
  '',
  'DNS:gateway.market-state.internal.example.com',
  'DNS:a.gateway.market-state.internal',
  'DNS:*.market-state.internal',
  'DNS:gatewayxmarket-state.internal',
  'URI:gateway.market-state.internal',
  'DNS:gateway.market-state.internal, DNS:account.market-state.internal',
  'DNS:"x, DNS:gateway.market-state.internal, y"',
])('%s names no service', (names) => {
  expect(serviceOfNames(names)).toBeUndefined();
});
