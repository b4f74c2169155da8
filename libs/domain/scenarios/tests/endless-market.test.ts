import { endlessMarket, type MarketStep } from '../src/index';

const START_MS = 1_767_571_200_000;
const STEPS_A_MINUTE = 240;

function* steps(seed: number, count: number): Generator<MarketStep> {
  const market = endlessMarket({ seed, startMs: START_MS });
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

test('steps follow each other without an end of the set, trade ids rise by one but where the venue was silent, and each scenario of a venue has its turn', () => {
  const seen = new Set<string>();
  let expectedMs = START_MS;
  let lastTrade = 0;
  let disconnected = 0;
  let lost = 0;
  let silences = 0;
  for (const { startMs, scenario, happened, sent, isDisconnected } of steps(1, 9 * 60 * STEPS_A_MINUTE)) {
    if (startMs !== expectedMs) throw new Error(`a step at ${startMs}, not ${expectedMs}`);
    expectedMs += 250;
    seen.add(scenario);
    for (const { kind, id } of trades(happened)) {
      if (id !== lastTrade + 1 && (id <= lastTrade || scenario !== 'venue_silence'))
        throw new Error(`${kind} ${id} after ${lastTrade} in ${scenario}`);
      if (id !== lastTrade + 1) silences++;
      lastTrade = id;
    }
    if (isDisconnected) disconnected++;
    lost += Math.max(0, happened.length - sent.length);
  }
  expect(seen.size).toBeGreaterThan(20);
  expect(seen).not.toContain('feed_down');
  expect(disconnected).toBe(160);
  expect(lost).toBeGreaterThan(0);
  expect(silences).toBeGreaterThan(0);
});
