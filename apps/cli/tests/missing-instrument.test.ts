import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '@market-state/testing';
import { type CoinVenue, startCoinVenue } from './coin-venue';
import { createWorkplace, remembering, run } from './run';

const MISSING = 'ETHUSD-PERP: no data: the venue does not list ETH';

const place = createWorkplace();
let venue: CoinVenue;
afterEach(() => venue.close());
afterAll(() => place.remove());

const at = (...args: readonly string[]): string[] => [
  '--venue',
  'hyperliquid',
  '--url',
  venue.url,
  '--symbols',
  'BTCUSD-PERP,ETHUSD-PERP',
  ...args,
];

test('record writes the symbols that the venue lists, says why nothing came of the other, and exits with 3', async () => {
  venue = await startCoinVenue('BTC');
  const { exitCode, stdout, stderr } = await place.run('record', ...at('--out', 'one', '--seconds', '1'));
  expect(readdirSync(join(place.folder, 'one'))).toEqual([expect.stringMatching(/^hyperliquid_BTCUSD-PERP_/)]);
  expect(stdout).toContain('BTCUSD-PERP');
  expect(stderr).toContain(MISSING);
  expect([exitCode, stderr.trimEnd().split('\n').at(-1)]).toEqual([3, 'market-state: No book or trade received for ETHUSD-PERP.']);
});

test('record goes on with the others when a symbol leaves the metadata while the connection drops', async () => {
  venue = await startCoinVenue('BTC', 'ETH');
  const stop = new AbortController();
  const stderr = remembering();
  const recording = run(['record', ...at('--out', 'both')], place.folder, stop.signal, { stderr: stderr.stream });
  await waitUntil('both symbols', () => new Set(venue.subscribed).size === 2 && readdirSync(join(place.folder, 'both')).length === 2);
  venue.list(['BTC']);
  venue.cut();
  await waitUntil(
    'the next connection, without ETH',
    () => stderr.text().includes(MISSING) && venue.subscribed.lastIndexOf('BTC') > venue.subscribed.indexOf('ETH') + 1,
  );
  stop.abort();
  await recording;
  expect(venue.connections).toBeGreaterThanOrEqual(3);
  expect(venue.subscribed.filter((coin) => coin === 'ETH')).toHaveLength(2);
});

test('record and doctor end at once where the venue lists none of the symbols, with the reason of each', async () => {
  venue = await startCoinVenue('SOL');
  for (const command of ['record', 'doctor'] as const) {
    const { exitCode, stderr } = await place.run(command, ...at(...(command === 'record' ? ['--out', 'none'] : [])));
    expect(exitCode).toBe(2);
    for (const coin of ['BTC', 'ETH']) expect(stderr).toContain(`the venue does not list ${coin}`);
  }
});

test('doctor names a symbol that the venue does not list and still reports on the others', async () => {
  venue = await startCoinVenue('BTC');
  const { exitCode, stdout } = await place.run('doctor', ...at('--seconds', '1'));
  expect(exitCode).toBe(1);
  expect(stdout).toContain(MISSING);
  expect(stdout).toMatch(/BTCUSD-PERP +l2Book/);
});
