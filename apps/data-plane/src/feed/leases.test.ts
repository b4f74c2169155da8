import { holderOf } from './leases';

test('a feed is identified by its address, also after a restart, and differs from one at another address of this machine', () => {
  expect(holderOf('127.0.0.1:7000')).toBe(holderOf('127.0.0.1:7000'));
  expect(holderOf('127.0.0.1:7000')).not.toBe(holderOf('127.0.0.2:7000'));
  expect(holderOf('127.0.0.1:0')).not.toBe(holderOf('127.0.0.1:0'));
});
