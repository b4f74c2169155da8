import { demoLoop, endlessMarket, type MarketStep, type VenueScenario } from '../src/index';

const START_MS = 1_767_571_200_000;
const STEPS_A_MINUTE = 240;
const ROUND_MINUTES = 20;

function* steps(seed: number, count: number, scenario?: VenueScenario): Generator<MarketStep> {
  const market = endlessMarket({ seed, startMs: START_MS, scenario });
  for (let index = 0; index < count; index++) yield market.next().value;
}

function trades(happened: MarketStep['happened']) {
  return happened.flatMap((message) => (message.kind === 'trade' ? [message] : []));
}

test('the same seed plays the same market, another seed another', () => {
  const play = (seed: number): string => JSON.stringify([...steps(seed, 400)]);
  expect(play(7)).toBe(play(7));
  expect(play(7)).not.toBe(play(8));
});

test.each([1, 2, 3, 4, 5])('seed %i: a position is closed by force within the first five minutes', (seed) => {
  const kinds = [...steps(seed, 5 * STEPS_A_MINUTE)].flatMap(({ sent }) => sent.map(({ message }) => message.kind));
  expect(kinds).toContain('liquidation');
});

test('the demonstration takes twenty minutes and restarts, step by step, where price is near its opening price each time', () => {
  expect(demoLoop.map(({ fromMs }) => fromMs)).toEqual(
    demoLoop.map((_, index) => demoLoop.slice(0, index).reduce((sum, { lengthMs }) => sum + lengthMs, 0)),
  );
  expect((demoLoop.at(-1)?.fromMs ?? 0) + (demoLoop.at(-1)?.lengthMs ?? 0)).toBe(ROUND_MINUTES * 60_000);
  const closes: number[] = [];
  let expectedMs = START_MS;
  let lastTrade = 0;
  let disconnected = 0;
  for (const { startMs, sinceBeginMs, happened, isDisconnected } of steps(1, 6 * ROUND_MINUTES * STEPS_A_MINUTE)) {
    if (startMs !== expectedMs || sinceBeginMs !== (startMs - START_MS) % (ROUND_MINUTES * 60_000))
      throw new Error(`a step at ${startMs}, ${sinceBeginMs} into the round, not at ${expectedMs}`);
    expectedMs += 250;
    for (const { id } of trades(happened)) {
      if (id !== lastTrade + 1 && sinceBeginMs > 31_000) throw new Error(`trade ${id} after ${lastTrade} at ${sinceBeginMs}`);
      lastTrade = id;
    }
    if (isDisconnected) disconnected++;
    const book = happened.findLast(({ kind }) => kind === 'book');
    if (sinceBeginMs === ROUND_MINUTES * 60_000 - 250 && book?.kind === 'book') closes.push(Number(book.bids[0]?.price));
  }
  expect(disconnected).toBe(6 * 160);
  expect(closes).toHaveLength(6);
  for (const close of closes) expect(Math.abs(close / 1_500 - 1) * 10_000).toBeLessThan(10);
});

test('what goes wrong with a venue: it says nothing, loses, repeats, is away', () => {
  const totals = (scenario: VenueScenario) =>
    [...steps(1, 8 * STEPS_A_MINUTE, scenario)].reduce(
      (sum, { happened, sent, isDisconnected }) => ({
        trades: sum.trades + trades(happened).length,
        extra: sum.extra + Math.max(0, sent.length - happened.length),
        lost: sum.lost + Math.max(0, happened.length - sent.length),
        away: sum.away + (isDisconnected ? 1 : 0),
      }),
      { trades: 0, extra: 0, lost: 0, away: 0 },
    );
  const [balanced, silent, lossy, repeating, away] = (['balanced', 'venue_silence', 'trade_gap', 'duplicates', 'reconnect'] as const).map(
    totals,
  );
  expect(balanced).toMatchObject({ extra: 0, lost: 0, away: 0 });
  expect(silent?.trades).toBeLessThan((balanced?.trades ?? 0) * 0.6);
  expect(lossy?.lost).toBeGreaterThan(50);
  expect(repeating?.extra).toBeGreaterThan(50);
  expect(away?.away).toBe(160);
});
