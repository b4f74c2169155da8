import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { definitionsFor } from '../src/services';
import { inheritedVariables, withAbsolutePaths } from '../src/system/environment';
import { callsToTry } from '../src/system/first-calls';
import { roundLines, exampleSymbols, feedLines } from '../src/system/feeds';

const namesOf = (settings: NodeJS.ProcessEnv): string[] => definitionsFor(settings).map(({ name }) => name);

test('the simulated venue is started first of all by default, and not at all where FEED does not name it', () => {
  expect(namesOf({})[0]).toBe('simulated-venue');
  expect(namesOf({ FEED: 'hyperliquid, simulated' })[0]).toBe('simulated-venue');
  expect(namesOf({ FEED: 'hyperliquid' })).toEqual(namesOf({}).slice(1));
});

test('paths of files are made absolute, since processes run in a folder of their own; what cannot be read is left to them', () => {
  const settings = withAbsolutePaths({ INSTRUMENTS_FILE: 'rows.json', FEED_FILE: 'A=one.gz,/two.gz;B;C=three=3.gz', LOG_LEVEL: 'info' });
  expect(settings).toEqual({
    INSTRUMENTS_FILE: `${process.cwd()}/rows.json`,
    FEED_FILE: `A=${process.cwd()}/one.gz,/two.gz;B;C=${process.cwd()}/three=3.gz`,
    LOG_LEVEL: 'info',
  });
  expect(withAbsolutePaths({})).toEqual({});
});

test('addresses of venues, the instrument table and what is kept for how long reach the processes; keys of others do not', () => {
  const names = [
    'FEED',
    'SYMBOLS',
    'INSTRUMENTS_FILE',
    'HYPERLIQUID_WS_URL',
    'BINANCE_USDM_REST_URL',
    'ARCHIVE_URL',
    'HOT_DAYS',
    'HOT_DAYS_BOOK',
    'ARCHIVE_DAYS_TRADES',
  ];
  const env = Object.fromEntries([...names, 'AWS_SECRET_ACCESS_KEY', 'MY_BINANCE_KEY'].map((name) => [name, 'x']));
  expect(Object.keys(inheritedVariables(env))).toEqual(names);
});

test('who starts the system is told what is played, and gets symbols to try that are served', () => {
  expect(feedLines({}).join('\n')).toMatch(/real recording of Binance COIN-M[^]*not the live market[^]*SIMUSD-PERP, a simulated market/);
  expect(feedLines({ FEED: 'hyperliquid' })).toEqual(['live from Hyperliquid']);
  expect(exampleSymbols({})).toEqual(['BTCUSD-PERP', 'ETHUSD-PERP']);
  expect(exampleSymbols({ FEED: 'simulated' })).toEqual(['SIMUSD-PERP', 'SIMUSD-PERP']);
  expect(exampleSymbols({ SYMBOLS: 'HYPEUSD-PERP' })).toEqual(['HYPEUSD-PERP', 'HYPEUSD-PERP']);
});

test('the first call to try is the compact packet of the simulated market where it is played, else of the first symbol', () => {
  const first = (settings: NodeJS.ProcessEnv) => callsToTry(settings)[0]?.path;
  expect(first({})).toBe('/api/public/market-state/latest?symbol=SIMUSD-PERP&view=compact');
  expect(first({ FEED: 'recording' })).toBe('/api/public/market-state/latest?symbol=BTCUSD-PERP&view=compact');
  expect(first({ SYMBOLS: 'BTCUSD-PERP' })).toBe('/api/public/market-state/latest?symbol=BTCUSD-PERP&view=compact');
  expect(callsToTry({})[0]?.says).toContain('severity');
  expect(callsToTry({}).map(({ path }) => path)).toContain('/api/public/market-state/latest?symbol=BTCUSD-PERP');
});

test('who starts the system is told what the simulated market plays and when, as its venue says', async () => {
  const episodes = [
    { from_ms: 0, name: 'opening', description: 'The venue opens.' },
    { from_ms: 290_000, name: 'liquidation cascade', description: 'Price breaks down.' },
  ];
  const venue = createServer((request, response) => {
    response.writeHead(request.url === '/round' && request.method === 'POST' ? 200 : 404);
    response.end(JSON.stringify({ scenario: 'demo', began_ms: Date.UTC(2026, 0, 5, 14, 3, 10), now_ms: 0, episodes }));
  });
  venue.listen(0, '127.0.0.1');
  await once(venue, 'listening');
  const address = `127.0.0.1:${(venue.address() as AddressInfo).port}`;
  const lines = await roundLines(address);
  venue.close();
  await once(venue, 'close');
  expect(lines[0]).toContain('synthetic');
  expect(lines.slice(1, 3)).toEqual([
    '  14:03:10  opening               The venue opens.',
    '  14:08:00  liquidation cascade   Price breaks down.',
  ]);
  expect(lines[3]).toContain('apps/simulated-venue/README.md');
  expect(await roundLines(address)).toEqual([]);
});
