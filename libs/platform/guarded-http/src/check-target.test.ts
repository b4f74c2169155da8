import { faultsOfTestTargets, parseTestTargets } from './check-target';

test('targets are read with their ports and ranges', () => {
  const { targets, faults } = parseTestTargets('localhost:*=127.0.0.0/8, a.demo:8443=::1/128');
  expect(targets.map(({ host, port, range }) => ({ host, port, family: range.family }))).toEqual([
    { host: 'localhost', port: null, family: 4 },
    { host: 'a.demo', port: 8_443, family: 6 },
  ]);
  expect(faults).toEqual([]);
  expect(parseTestTargets(' ')).toEqual({ targets: [], faults: [] });
});

test.each([
  ['localhost', 'localhost is not <host>:<port or *>=<range>'],
  ['localhost:*', 'localhost:* is not <host>:<port or *>=<range>'],
  ['*:*=127.0.0.0/8', '*:*=127.0.0.0/8 is not <host>:<port or *>=<range>'],
  ['LOCALHOST:*=127.0.0.0/8', 'LOCALHOST:*=127.0.0.0/8 is not <host>:<port or *>=<range>'],
  ['127.0.0.1:*=127.0.0.0/8', '127.0.0.1 is an address, not a host name'],
  ['localhost:0=127.0.0.0/8', '0 is not a port, 1..65535'],
  ['localhost:65536=127.0.0.0/8', '65536 is not a port, 1..65535'],
  ['localhost:*=10.0.0.0/8', '10.0.0.0/8 is not a range of loopback addresses'],
  ['localhost:*=0.0.0.0/0', '0.0.0.0/0 is not a range of loopback addresses'],
  ['localhost:*=126.0.0.0/7', '126.0.0.0/7 is not a range of loopback addresses'],
  ['localhost:*=127.0.0.1/8', '127.0.0.1/8 is not a range of loopback addresses'],
  ['localhost:*=127.0.0.0/33', '127.0.0.0/33 is not a range of loopback addresses'],
  ['localhost:*=::/0', '::/0 is not a range of loopback addresses'],
  ['localhost:*=::ffff:127.0.0.0/104', '::ffff:127.0.0.0/104 is not a range of loopback addresses'],
])('%s is refused by name', (text, fault) => {
  expect(parseTestTargets(text)).toEqual({ targets: [], faults: [fault] });
});

test('production refuses any target and reports all other faults', () => {
  expect(faultsOfTestTargets('localhost:*=127.0.0.0/8', 'production')).toEqual(['must not be set in production']);
  expect(faultsOfTestTargets('x', 'production')).toEqual(['must not be set in production', 'x is not <host>:<port or *>=<range>']);
  expect(faultsOfTestTargets('', 'production')).toEqual([]);
  expect(faultsOfTestTargets('localhost:*=127.0.0.0/8', 'test')).toEqual([]);
});
