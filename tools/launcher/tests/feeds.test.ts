import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { definitionsFor } from '../src/services';
import { inheritedVariables, withAbsolutePaths } from '../src/system/environment';
import { callsToTry } from '../src/system/first-calls';
import { roundLines, exampleSymbols, feedLines } from '../src/system/feeds';

const namesOf = (settings: NodeJS.ProcessEnv): string[] => definitionsFor(settings).map(({ name }) => name);

test('the simulated venue starts first by default, and not at all if FEED does not name it', () => {
  expect(namesOf({})[0]).toBe('simulated-venue');
  expect(namesOf({ FEED: 'hyperliquid, simulated' })[0]).toBe('simulated-venue');
  expect(namesOf({ FEED: 'hyperliquid' })).toEqual(namesOf({}).slice(1));
});

test('file paths become absolute, because processes run in their own folders; unreadable ones are left to them', () => {
  const settings = withAbsolutePaths({ INSTRUMENTS_FILE: 'rows.json', FEED_FILE: 'A=one.gz,/two.gz;B;C=three=3.gz', LOG_LEVEL: 'info' });
  expect(settings).toEqual({
    INSTRUMENTS_FILE: `${process.cwd()}/rows.json`,
    FEED_FILE: `A=${process.cwd()}/one.gz,/two.gz;B;C=${process.cwd()}/three=3.gz`,
    LOG_LEVEL: 'info',
  });
  expect(withAbsolutePaths({})).toEqual({});
});

test("venue addresses, the instrument table and retention settings reach the processes; other services' keys do not", () => {
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

test('the console describes what is played, and names served symbols to try', () => {
  expect(feedLines({}).join('\n')).toMatch(/real recording of Binance COIN-M[^]*not the live market[^]*SIMUSD-PERP, a simulated market/);
  expect(feedLines({ FEED: 'hyperliquid' })).toEqual(['live from Hyperliquid']);
  expect(exampleSymbols({})).toEqual(['BTCUSD-PERP', 'ETHUSD-PERP']);
  expect(exampleSymbols({ FEED: 'simulated' })).toEqual(['SIMUSD-PERP', 'SIMUSD-PERP']);
  expect(exampleSymbols({ SYMBOLS: 'HYPEUSD-PERP' })).toEqual(['HYPEUSD-PERP', 'HYPEUSD-PERP']);
});

test('the first call to try is the compact packet of the simulated market if it is played, else of the first symbol', () => {
  const first = (settings: NodeJS.ProcessEnv) => callsToTry(settings)[0]?.path;
  expect(first({})).toBe('/api/public/market-state/latest?symbol=SIMUSD-PERP&view=compact');
  expect(first({ FEED: 'recording' })).toBe('/api/public/market-state/latest?symbol=BTCUSD-PERP&view=compact');
  expect(first({ SYMBOLS: 'BTCUSD-PERP' })).toBe('/api/public/market-state/latest?symbol=BTCUSD-PERP&view=compact');
  expect(callsToTry({})[0]?.says).toContain('severity');
  expect(callsToTry({}).map(({ path }) => path)).toContain('/api/public/market-state/latest?symbol=BTCUSD-PERP');
});

test("the console describes the simulated market's schedule, as its venue reports it", async () => {
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
