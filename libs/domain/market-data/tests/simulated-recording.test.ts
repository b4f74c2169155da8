import { readFileSync } from 'node:fs';
import { type MarketEvent, nextShift, openRecording } from '../src/index';
import { digestOf, filesOf, fixturePath, play, playFiles, textFile } from './open-files';

const SIM = fixturePath('hyperliquid-ws', 'sim.txt');
const BTC = fixturePath('hyperliquid-ws', 'btc.txt');
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n');
const playLines = async (lines: readonly string[], symbol?: string) =>
  play(await openRecording([textFile('lines', lines.join('\n'))], { symbol }));
const sourceKindsOf = (events: readonly MarketEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'feed_status' && event.status.type === 'connected'
      ? [[event.venue, event.status.sourceKind, event.status.channels]]
      : [],
  );

const CHANNELS = ['book', 'trade', 'context', 'liquidation'];

it('a recording of the simulated venue is its own: venue, source kind, channels, and liquidations, each once', async () => {
  const { recording, events, rejections } = await playFiles([SIM]);
  expect(recording).toMatchObject({
    format: 'hyperliquid-ws',
    symbol: 'SIMUSD-PERP',
    venue: 'simulated',
    instrument: { channels: CHANNELS, closingLagMs: 2_000 },
  });
  expect(sourceKindsOf(events)).toEqual([['simulated', 'simulated', CHANNELS]]);
  expect(new Set(events.map(({ venue }) => venue))).toEqual(new Set(['simulated']));
  const liquidations = events.filter((event) => event.kind === 'liquidation');
  expect(liquidations.map(({ venueId, positionSide, price, size }) => [venueId, positionSide, price, size])).toEqual([
    ['7001', 'long', '1499.5', '4'],
    ['7002', 'short', '1500.5', '0.75'],
  ]);
  expect(rejections).toEqual({ duplicate: 1, bad_price: 1 });
});

it('a feed that plays it as a pass connects to a simulated source', async () => {
  const span = await (await openRecording(filesOf([SIM]))).span();
  const { events } = (await openRecording(filesOf([SIM]))).pass({
    pass: 4,
    epoch: 1,
    firstOrdinal: 1,
    span,
    shiftMs: 10_000,
    endFeedClockMs: span.firstReceivedMs + nextShift(span, 10_000),
  });
  const played: MarketEvent[] = [];
  for await (const batch of events) played.push(...batch.map(({ event }) => event));
  expect(sourceKindsOf(played)).toEqual([['simulated', 'simulated', CHANNELS]]);
  expect(played.filter(({ kind }) => kind === 'liquidation')).toHaveLength(2);
});

it.each([
  ['the acknowledgement alone', (line: string) => !line.includes('"channel":"simLiquidations"')],
  ['liquidations alone', (line: string) => !line.includes('"type":"simLiquidations"')],
])('%s is mark enough', async (_what, keeps) => {
  const { recording, events } = await playLines(linesOf(SIM).filter(keeps));
  expect(recording.venue).toBe('simulated');
  expect(sourceKindsOf(events)).toMatchObject([['simulated', 'simulated', expect.arrayContaining(['liquidation'])]]);
});

it('one file of the simulated venue at any position makes the whole recording simulated', async () => {
  const lines = linesOf(SIM);
  const unmarked = lines.filter((line) => !line.includes('simLiquidations'));
  const later = lines.map((line) => line.replace(/^17000000/, '17000001'));
  const { venue } = await openRecording([textFile('a', unmarked.join('\n')), textFile('b', later.join('\n'))]);
  expect(venue).toBe('simulated');
});

it('a recording of Hyperliquid stays one, also where the venue refused such a subscription', async () => {
  const lines = linesOf(BTC);
  const plain = await playLines(lines, 'BTCUSD-PERP');
  expect(sourceKindsOf(plain.events)).toEqual([['hyperliquid', 'recorded', ['book', 'trade', 'context']]]);
  const refusal = JSON.stringify({
    channel: 'error',
    data: `Invalid subscription ${JSON.stringify({ type: 'simLiquidations', coin: 'BTC' })}`,
  });
  const refused = await playLines(lines.toSpliced(1, 0, `1700000000300300000 ${refusal}`), 'BTCUSD-PERP');
  expect(digestOf(refused.events)).toBe(digestOf(plain.events));
});
