import type { Fault } from './feed/fault';
import { type Scenario, MINUTE_MS, ramp, SECOND_MS, type ConditionsChange } from './scenario/scenario';

interface Episode {
  readonly name: string;
  readonly description: string;
  /** Multiple of 10,000. */
  readonly lengthMs: number;
  /** Difference from the ordinary market, `atMs` after the episode's start. */
  readonly conditions: (atMs: number) => ConditionsChange;
  readonly faults?: readonly Fault[];
}

interface PlacedEpisode extends Episode {
  readonly fromMs: number;
}

/** Bps from the opening price. */
const PRICE_BPS = { start: 0, bought: 16, sold: -44, rebounded: -20 } as const;
const USUAL: ConditionsChange = { volatilityBps: 0.5, anchorBps: PRICE_BPS.start };
const ABSORBED: ConditionsChange = { ...USUAL, impact: 0, volatilityBps: 0.1, noiseTicks: 0.5, refill: 0.6 };

/**
 * Book or flow needs three minutes of packets to show, so each episode, except feed faults, changes one aspect of the
 * previous one.
 */
const demoEpisodes: readonly Episode[] = [
  {
    name: 'opening',
    description: 'The venue opens and sends neither a book nor a trade.',
    lengthMs: 30 * SECOND_MS,
    conditions: () => USUAL,
    faults: [{ kind: 'silence', channels: ['book', 'trade', 'liquidation'], fromMs: 0, toMs: 30 * SECOND_MS }],
  },
  {
    name: 'confirmed buying',
    description: 'Buyers dominate, the book leans to their side, and price rises.',
    lengthMs: 110 * SECOND_MS,
    conditions: (atMs) => ({
      ...USUAL,
      volatilityBps: 0.7,
      depthSkew: 0.7,
      flowSkew: 0.8,
      ordersPerSecond: 10,
      anchorBps: ramp(atMs, 0, 110 * SECOND_MS, PRICE_BPS.start, PRICE_BPS.bought),
    }),
  },
  {
    name: 'buying absorbed',
    description: 'Sellers rest more and more above the market and take what the buyers send: price stands still.',
    lengthMs: 150 * SECOND_MS,
    conditions: () => ({ ...ABSORBED, depthSkew: -0.85, flowSkew: 0.7, ordersPerSecond: 7, anchorBps: PRICE_BPS.bought }),
  },
  {
    name: 'liquidation cascade',
    description: 'Price breaks down and long positions are closed by force, wave after wave.',
    lengthMs: 150 * SECOND_MS,
    conditions: cascade,
  },
  {
    name: 'selling absorbed',
    description: 'Bids gather below the market and take what the sellers still send: price stands still.',
    lengthMs: 140 * SECOND_MS,
    conditions: () => ({ ...ABSORBED, depthSkew: 0.85, flowSkew: -0.7, ordersPerSecond: 9, anchorBps: PRICE_BPS.sold }),
  },
  {
    name: 'connection lost',
    description: 'The connection is lost for 40 seconds; data from that time is missing.',
    lengthMs: 40 * SECOND_MS,
    conditions: () => ({ ...USUAL, anchorBps: PRICE_BPS.sold }),
    faults: [{ kind: 'disconnect', fromMs: 0, toMs: 40 * SECOND_MS }],
  },
  {
    name: 'leaning book',
    description: 'The book leans to the bid side and price comes back, while trades stay two-sided.',
    lengthMs: 90 * SECOND_MS,
    conditions: (atMs) => ({
      ...USUAL,
      depthSkew: 0.6,
      anchorBps: ramp(atMs, 0, 90 * SECOND_MS, PRICE_BPS.sold, PRICE_BPS.rebounded),
    }),
  },
  {
    name: 'fragile book',
    description: 'Depth falls to a fifth, best sizes come and go, and the spread opens.',
    lengthMs: 90 * SECOND_MS,
    conditions: (atMs) => ({
      ...USUAL,
      depth: ramp(atMs, 0, 15 * SECOND_MS, 1, 0.2),
      withdrawals: ramp(atMs, 0, 15 * SECOND_MS, 0.01, 0.35),
      spreadTicks: ramp(atMs, 0, 15 * SECOND_MS, 2, 7),
      depthSkew: atMs < 40 * SECOND_MS ? -0.5 : 0,
      refill: 0.7,
      ordersPerSecond: 3,
      orderSize: 0.4,
      anchorBps: ramp(atMs, 0, 80 * SECOND_MS, PRICE_BPS.rebounded, PRICE_BPS.start),
    }),
  },
  {
    name: 'crowded positions',
    description: 'Funding has risen and stays high: positions are crowded, and nothing else stands out.',
    lengthMs: 180 * SECOND_MS,
    conditions: () => ({ ...USUAL, volatilityBps: 0.3, noiseTicks: 0.7 }),
  },
  {
    name: 'quiet market',
    description: 'The crowd has gone, and price hardly moves any more; some trades are lost on their way.',
    lengthMs: 220 * SECOND_MS,
    conditions: () => ({ ...USUAL, volatilityBps: 0.06, noiseTicks: 0.15, ordersPerSecond: 3 }),
    faults: [{ kind: 'channel_gap', channel: 'trade', fromMs: 65 * SECOND_MS, toMs: 85 * SECOND_MS }],
  },
];

/** Hourly target rates: 11 % a year, and 34 to 38 %, which is crowded. */
const FUNDING = { usual: 0.000_012_5, crowded: 0.000_039, most: 0.000_043 } as const;
const CROWDING = { fromMs: 30 * SECOND_MS, crowdedMs: 9 * MINUTE_MS, brokenMs: 980 * SECOND_MS } as const;

/**
 * Crowding is measured over ten minutes, longer than any episode, so funding rises during others and drops instantly.
 */
function demoFundingPerHour(atMs: number): number {
  const { fromMs, crowdedMs, brokenMs } = CROWDING;
  if (atMs >= brokenMs) return FUNDING.usual;
  return atMs < crowdedMs
    ? ramp(atMs, fromMs, crowdedMs, FUNDING.usual, FUNDING.crowded)
    : ramp(atMs, crowdedMs, brokenMs, FUNDING.crowded, FUNDING.most);
}

/** Waves of 30 s: 20 s of liquidations and falling price, then a pause. */
function cascade(atMs: number): ConditionsChange {
  const wave = atMs % (30 * SECOND_MS) < 20 * SECOND_MS ? 1 : 0.3;
  return {
    ...USUAL,
    volatilityBps: 0.9,
    liquidationsPerSecond: 1.2 * wave,
    liquidated: 'long',
    liquidationSize: 4,
    flowSkew: -0.8,
    ordersPerSecond: 14,
    depth: 0.7,
    depthSkew: -0.5,
    spreadTicks: 3,
    withdrawals: 0.05,
    anchorBps: ramp(atMs, 0, 2 * MINUTE_MS, PRICE_BPS.bought, PRICE_BPS.sold),
    openInterestGrowthPerHour: -0.1 * wave,
  };
}

export const demoLoop: readonly PlacedEpisode[] = demoEpisodes.reduce<readonly PlacedEpisode[]>(
  (placed, episode) => [...placed, { ...episode, fromMs: endOf(placed) }],
  [],
);

export const demoScenario: Scenario = {
  description: 'A demonstration: a round in which every state, event class and severity occurs.',
  episodeMs: endOf(demoLoop),
  conditions(atMs) {
    const episode = demoLoop.findLast(({ fromMs }) => fromMs <= atMs);
    return { ...episode?.conditions(atMs - episode.fromMs), fundingPerHour: demoFundingPerHour(atMs) };
  },
  faults: demoLoop.flatMap(({ fromMs, faults = [] }) =>
    faults.map((fault): Fault => ({ ...fault, fromMs: fromMs + fault.fromMs, toMs: fromMs + fault.toMs })),
  ),
  expects: [],
};

function endOf(placed: readonly PlacedEpisode[]): number {
  const last = placed.at(-1);
  return last === undefined ? 0 : last.fromMs + last.lengthMs;
}
