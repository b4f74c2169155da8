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
  const table = await openDiscoveredTable({ HYPERLIQUID_REST_URL: url, ...settings }, folder, (line) => said.push(line), 20);
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
    /venues list, but they cannot be read: the venue did not list its coins/,
  );

  answer = listed('BTC', 'kPEPE', 'WIF', 'ETH');
  const settings = await open({ FEED: 'hyperliquid', SYMBOLS: 'top:3,!BTC' });
  const { served } = readServedSettings(settings, (path) => readFileSync(path, 'utf8'));
  expect(served.map(({ symbol }) => symbol)).toEqual(['PEPEUSD-PERP', 'WIFUSD-PERP', 'ETHUSD-PERP']);
  expect(exampleSymbols(settings)).toEqual(['PEPEUSD-PERP', 'WIFUSD-PERP']);
  expect((await open({ FEED: 'hyperliquid', SYMBOLS: 'WIF' }))['INSTRUMENTS_FILE']).toBe(settings['INSTRUMENTS_FILE']);

  answer = 'null';
  expect(await open({ FEED: 'hyperliquid', SYMBOLS: 'all' })).toHaveProperty('INSTRUMENTS_FILE');
  expect(said.at(-1)).toMatch(/cannot be read.*using the table of an earlier start/);
});

test('a listing that is selected is served, once; a table that cannot be read changes nothing', async () => {
  answer = listed('BTC', 'ETH');
  await open({ FEED: 'hyperliquid', SYMBOLS: 'all' });
  let servedTotal = 0;
  const following = tables.at(-1)?.follow(() => Promise.resolve(void (servedTotal += 1)));
  const untilSaid = async (text: string): Promise<void> => {
    while (!said.some((line) => line.includes(text))) await new Promise((resolve) => setTimeout(resolve, 10));
  };
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
