import { hostNameOf, isLoopbackHost, isPrivateHost } from './host-names';

test.each([
  ['localhost:9000', 'localhost'],
  ['LOCALHOST.', 'localhost'],
  ['[::1]:9000', '[::1]'],
  ['account', 'account'],
  ['127.0.0.1:', '127.0.0.1'],
  ['', undefined],
  ['user@localhost', undefined],
  ['localhost/path', undefined],
  ['a:b:9000', undefined],
])('the host of %j is %s', (authority, host) => {
  expect(hostNameOf(authority)).toBe(host);
});

test.each([
  ['localhost', true, true],
  ['127.9.9.9', true, true],
  ['[::1]', true, true],
  ['10.2.3.4', false, true],
  ['[fd00::7]', false, true],
  ['account', false, true],
  ['account.market-state.svc', false, true],
  ['account.market-state.svc.cluster.local', false, true],
  ['evil.example', false, false],
  ['127.0.0.1.evil.example', false, false],
  ['localhost.evil.example', false, false],
  ['svc.evil.example', false, false],
])('%s: loopback %s, private %s', (host, loopback, isPrivate) => {
  expect([isLoopbackHost(host), isPrivateHost(host)]).toEqual([loopback, isPrivate]);
});
