import { fromUpstreamFault } from './upstream-fault';

it.each([
  ['page_token', 'is not a token of this request', 'cursor', 'must be the next_cursor of an earlier answer for the same symbol'],
  ['to_ms', 'must lie after from_ms', 'to', 'must lie after from'],
  ['page_size', 'must be between 1 and 1000', 'limit', 'must be between 1 and 1000'],
  ['symbol', 'must look like BTCUSD-PERP', 'symbol', 'must look like BTCUSD-PERP'],
])('tells a fault of %s (%s) by its public name', (field, message, parameter, msg) => {
  expect(fromUpstreamFault({ field, message, type: 'malformed' })).toEqual({ loc: ['query', parameter], msg, type: 'malformed' });
});
