import { services } from '../services';
import { serviceNames } from './served-services';

test.each([
  [['account'], ['account']],
  [['simulated-venue'], ['simulated-venue']],
  [['labeling'], ['data-plane', 'labeling', 'simulated-venue']],
  [['mcp', 'gateway'], Object.keys(services).sort()],
])('%s needs %s', (wanted, needed) => {
  expect([...serviceNames(wanted)].sort()).toEqual(needed);
});

test.each([[['accounts']], [[]]])('rejects %s', (wanted) => {
  expect(() => serviceNames(wanted)).toThrow('serve takes service names');
});
