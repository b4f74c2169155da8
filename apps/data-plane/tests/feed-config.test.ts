import { ConfigError } from '@market-state/config';
import { FEED_NAMES } from '@market-state/market-data';
import { readFeedConfig } from '../src/config';
import { shortRecording } from './short-recording';

const stores = {
  RPC_TOKEN_FILE: 'token',
  SIMULATED_VENUE_ADDRESS: '127.0.0.1:1',
  DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/d',
  REDIS_URL: 'redis://127.0.0.1:1',
};

function faultsOf(env: Record<string, string>): string[] {
  try {
    readFeedConfig({ ...stores, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ variable, message }) => `${variable}: ${message}`);
    throw error;
  }
  return [];
}

test('by default the bundled recordings are played at recorded speed, and the simulated symbol', () => {
  const config = readFeedConfig(stores);
  expect(Object.entries(config.recordings).map(([symbol, files]) => [symbol, files.length])).toEqual([
    ['BTCUSD-PERP', 2],
    ['ETHUSD-PERP', 2],
  ]);
  expect(config).toMatchObject({
    SYMBOLS: ['BTCUSD-PERP', 'ETHUSD-PERP', 'SIMUSD-PERP'],
    FEED_SPEED: 1,
    FEED_CONSUMERS: ['recorder', 'labeling'],
  });
  expect(config.FEED_START).toBeUndefined();
});

test('FEED_FILE replaces the recording of the symbols it names, and SYMBOLS chooses', () => {
  const recording = shortRecording('BTCUSD-PERP', 10);
  const env = { ...stores, FEED_FILE: `BTCUSD-PERP=${recording.files.join(',')}` };
  expect(readFeedConfig(env).recordings).toMatchObject({ 'BTCUSD-PERP': recording.files });
  expect(Object.keys(readFeedConfig(env).recordings)).toEqual(['BTCUSD-PERP', 'ETHUSD-PERP']);
  expect(readFeedConfig({ ...env, SYMBOLS: 'BTCUSD-PERP' }).recordings).toEqual({ 'BTCUSD-PERP': recording.files });
  recording.remove();
});

test('a feed plays the symbols of its shard, which a second one of the shard plays too, and needs nothing for others', () => {
  const configOf = (SHARD_INDEX: string) => readFeedConfig({ ...stores, SIMULATED_VENUE_ADDRESS: '', SHARD_COUNT: '2', SHARD_INDEX });
  for (const name of ['data-plane-feed-0', 'data-plane-feed-2']) {
    const { SYMBOLS, served, recordings } = configOf(name);
    expect([SYMBOLS, served.map(({ symbol }) => symbol), Object.keys(recordings)]).toEqual(Array(3).fill(['BTCUSD-PERP', 'ETHUSD-PERP']));
  }
  expect(readFeedConfig({ ...stores, SHARD_COUNT: '2', SHARD_INDEX: '1' })).toMatchObject({ SYMBOLS: ['SIMUSD-PERP'], recordings: {} });
  expect(faultsOf({ SHARD_COUNT: '2' })).toEqual(['SHARD_INDEX: must be set if there are 2 shards']);
});

test.each([
  ['max', 'max'],
  ['20', 20],
  ['0.5', 0.5],
])('FEED_SPEED=%s is %p', (text, speed) => {
  expect(readFeedConfig({ ...stores, FEED_SPEED: text }).FEED_SPEED).toBe(speed);
});

test('an unknown symbol, a missing file, a bad speed and a bad start are one error that names each', () => {
  expect(
    faultsOf({
      SYMBOLS: 'BTCUSD-PERP,DOGEUSD-PERP',
      FEED_FILE: 'BTCUSD-PERP=/nowhere/a.gz;PEPEUSD-PERP=/nowhere/b.gz;pepe=c',
      FEED_SPEED: '-1',
      FEED_START: 'noon',
    }),
  ).toEqual([
    'FEED_FILE: "pepe" is not a symbol: use <BASE>USD-PERP',
    'SYMBOLS: unknown symbol: DOGEUSD-PERP; known: BTCUSD-PERP, ETHUSD-PERP, PEPEUSD-PERP, SIMUSD-PERP',
    'FEED_SPEED: must be a positive number or max',
    'FEED_START: must be recorded or a whole number, 0..4102444800000',
    'FEED_FILE: no such file: /nowhere/a.gz',
    'FEED_FILE: no such file: /nowhere/b.gz',
  ]);
});

test('an unknown feed and a bad address of a venue are named; a simulated symbol needs to know where its venue is', () => {
  expect(faultsOf({ FEED: 'wire,recording', HYPERLIQUID_WS_URL: 'http://x', BINANCE_USDM_REST_URL: 'x' })).toEqual([
    `FEED: unknown feed: wire; known: ${FEED_NAMES.join(', ')}`,
    'HYPERLIQUID_WS_URL: must be a URL starting with ws:// or wss://',
    'BINANCE_USDM_REST_URL: must be a URL starting with http:// or https://',
  ]);
  expect(faultsOf({ SIMULATED_VENUE_ADDRESS: '' })).toEqual(['SIMULATED_VENUE_ADDRESS: must be set if a simulated symbol is served']);
  expect(faultsOf({ FEED: 'hyperliquid', SIMULATED_VENUE_ADDRESS: '' })).toEqual([]);
});

test.each(['0', '-2', 'fast', '1e3', 'Infinity', 'NaN', '0.0'])('FEED_SPEED=%s is refused', (speed) => {
  expect(faultsOf({ FEED_SPEED: speed })).toEqual(['FEED_SPEED: must be a positive number or max']);
});

test.each([
  ['BTCUSD-PERP', 'FEED_FILE: "BTCUSD-PERP" is not SYMBOL=path[,path]'],
  ['BTCUSD-PERP=', 'FEED_FILE: "BTCUSD-PERP=" is not SYMBOL=path[,path]'],
  [';', 'FEED_FILE: names no recording'],
])('FEED_FILE=%s is refused', (text, fault) => {
  expect(faultsOf({ FEED_FILE: text })).toEqual([fault]);
});
