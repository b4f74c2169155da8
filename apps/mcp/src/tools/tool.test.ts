import { toolsFor } from '../create-server';
import { BadArguments, readArguments } from './tool';

function faultsOf(name: string, given: unknown): BadArguments['faults'] {
  const tool = toolsFor(true).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  try {
    readArguments(tool, given);
    return [];
  } catch (error) {
    if (error instanceof BadArguments) return error.faults;
    throw error;
  }
}

test('all faults of the arguments are reported together, in plain sentences that state what is allowed', () => {
  const faults = faultsOf('read_rows', { channel: 'quotes', limit: 0, from: 7, dry_run: 'yes', depth: 5, colour: 'red' });
  expect(Object.fromEntries(faults.map(({ argument, message }) => [argument, message]))).toEqual({
    symbol: 'is required',
    channel: 'must be one of book, trades, candles, context, liquidations',
    limit: 'must be at least 1',
    from: 'must be text',
    dry_run: 'must be true or false',
    depth: 'is not known; the arguments of read_rows are symbol, channel, limit, tf, from, to, detail, dry_run',
    colour: 'is not known; the arguments of read_rows are symbol, channel, limit, tf, from, to, detail, dry_run',
  });
});

test.each([
  ['overview', { symbols: [] }, 'symbols', 'must not be empty'],
  ['overview', { symbols: Array.from({ length: 21 }, () => 'BTCUSD-PERP') }, 'symbols', 'must have at most 20 entries'],
  ['overview', { symbols: ['btc'] }, 'symbols.0', 'must look like BTCUSD-PERP'],
  ['overview', 'BTCUSD-PERP', '', 'must be an object'],
  ['search_events', { q: 'x'.repeat(201) }, 'q', 'must have at most 200 characters'],
  ['state_history', { symbol: 'BTCUSD-PERP', limit: 1.5 }, 'limit', 'must be a whole number'],
  ['estimate_cost', { tool: 'overview', arguments: [] }, 'arguments', 'must be an object'],
])('%s with %j: one sentence', (tool, given, argument, message) => {
  expect(faultsOf(tool, given)).toEqual([{ argument, message }]);
});

test('consent to an export is only true', () => {
  expect(faultsOf('create_export', { confirm: false })).toContainEqual({ argument: 'confirm', message: 'must be true' });
});
