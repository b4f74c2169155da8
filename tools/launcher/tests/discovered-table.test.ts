import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readServedSettings } from '@market-state/market-data';
import { type DiscoveredTable, openDiscoveredTable } from '../src/system/discovered-table';
import { exampleSymbols } from '../src/system/feeds';

const folder = mkdtempSync(join(tmpdir(), 'market-state-table-'));
const said: string[] = [];
const lines = new EventEmitter();
const say = (line: string): void => {
  said.push(line);
  lines.emit('line');
};
const untilSaid = async (text: string): Promise<void> => {
  while (!said.some((line) => line.includes(text))) await once(lines, 'line');
};
const tables: DiscoveredTable[] = [];
let answer = '[]';
const venue = createServer((_request, response) => response.end(answer));
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => venue.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(venue.address() as AddressInfo).port}`;
});
afterAll(() => {
  venue.close();
  rmSync(folder, { recursive: true });
});

const open = async (settings: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> => {
  const table = await openDiscoveredTable({ HYPERLIQUID_REST_URL: url, ...settings }, folder, say, 20);
  tables.push(table);
  return table.settings;
};

const listed = (...coins: readonly string[]): string =>
  JSON.stringify([
    { universe: coins.map((name) => ({ name, szDecimals: 1, maxLeverage: 5 })) },
    coins.map((_, index) => ({ dayNtlVlm: String(1_000 - index) })),
  ]);

test('a table of the venue is made only if SYMBOLS selects from it, and every process reads the same symbols from it', async () => {
  for (const settings of [{}, { SYMBOLS: 'all' }, { FEED: 'hyperliquid', SYMBOLS: 'BTCUSD-PERP,ETH' }, { FEED: 'hyperliquid' }])
    expect(await open(settings)).toEqual({ HYPERLIQUID_REST_URL: url, ...settings });
  await expect(open({ FEED: 'hyperliquid', SYMBOLS: 'top:2' })).rejects.toThrow(
    /venues list, but no table can be made: the venue did not list its coins/,
  );

  answer = listed('BTC', 'kPEPE', 'WIF', 'ETH');
  const settings = await open({ FEED: 'hyperliquid', SYMBOLS: 'top:3,!BTC' });
  const { served } = readServedSettings(settings, (path) => readFileSync(path, 'utf8'));
  expect(served.map(({ symbol }) => symbol)).toEqual(['PEPEUSD-PERP', 'WIFUSD-PERP', 'ETHUSD-PERP']);
  expect(exampleSymbols(settings)).toEqual(['PEPEUSD-PERP', 'WIFUSD-PERP']);
  expect((await open({ FEED: 'hyperliquid', SYMBOLS: 'WIF' }))['INSTRUMENTS_FILE']).toBe(settings['INSTRUMENTS_FILE']);

  answer = 'null';
  expect(await open({ FEED: 'hyperliquid', SYMBOLS: 'all' })).toHaveProperty('INSTRUMENTS_FILE');
  expect(said.at(-1)).toMatch(/can be made.*using that of an earlier start/);
});

test('a listing that is selected is served, once; a table that cannot be read changes nothing', async () => {
  answer = listed('BTC', 'ETH');
  await open({ FEED: 'hyperliquid', SYMBOLS: 'all' });
  let servedTotal = 0;
  const following = tables.at(-1)?.follow(() => Promise.resolve(void (servedTotal += 1)));
  answer = 'null';
  await untilSaid('The instruments are unchanged: the venue did not list its coins');
  expect(servedTotal).toBe(0);
  answer = listed('BTC', 'NEW');
  await untilSaid('Serving 2 symbols.');
  await following?.close();
  expect(said).toContain('Listed and selected: NEWUSD-PERP');
  expect(said).toContain('No longer listed or selected: ETHUSD-PERP');
  expect(servedTotal).toBe(1);
});

test('a table without a named symbol is not written: the processes would reject it; that is reported once', async () => {
  answer = listed('BTC', 'WIF', 'ETH');
  const settings = await open({ FEED: 'hyperliquid', SYMBOLS: 'WIF,ETH' });
  const table = (): string => readFileSync(settings['INSTRUMENTS_FILE'] ?? '', 'utf8');
  const before = table();
  said.length = 0;
  let servedTotal = 0;
  const following = tables.at(-1)?.follow(() => Promise.resolve(void (servedTotal += 1)));
  answer = listed('BTC', 'ETH');
  await untilSaid('unknown symbol: WIF');
  for (let reads = 0; reads < 2; reads++) await once(venue, 'request');
  expect([table(), servedTotal]).toEqual([before, 0]);
  expect(said.filter((line) => line.includes('unknown symbol: WIF'))).toEqual([
    'The instruments are unchanged: unknown symbol: WIF; known: BTCUSD-PERP, ETHUSD-PERP',
  ]);
  answer = listed('BTC', 'ETH', 'WIF', 'NEW');
  await untilSaid('Instruments: 4 listed');
  await following?.close();
  expect(table()).not.toBe(before);
});
