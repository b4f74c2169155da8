import { loses, repeats, stallMs, type PlacedFault } from '../feed/fault';
import { ORDINARY, type MarketConditions, STEP_MS } from '../market/conditions';
import { simulatedInstrument } from '../market/instrument';
import { Market } from '../market/market';
import type { MarketMessage } from '../market/message';
import { Random } from '../random/random';
import type { Scenario } from '../scenario/scenario';
import { scenarioNames, scenarioOf, type ScenarioName } from '../scenario/scenarios';
import { placeOf, type LogOptions } from './log-options';

const FAULT_STREAM = 3;
/** Forced closes that occur in any market: about one a minute, half the size of an ordinary order. */
const BACKGROUND = { liquidationsPerSecond: 0.02, liquidationSize: 0.5 } as const;

/** Which market, and from when on. */
interface EndlessMarketOptions extends LogOptions {
  /** What is played over and over: the demonstration unless given. */
  readonly scenario?: VenueScenario;
}

/** What a venue can play: all but what happens to recordings and feeds alone. */
export type VenueScenario = Exclude<ScenarioName, (typeof FEED_ONLY)[number]>;

const FEED_ONLY = ['recording_seam', 'feed_down'] as const;

/** Every scenario that a venue can play. */
export const venueScenarios = scenarioNames.flatMap(({ name }) => (isPlayed(name) ? [name] : []));

function isPlayed(name: ScenarioName): name is VenueScenario {
  return !FEED_ONLY.some((feedOnly) => feedOnly === name);
}

/** What a venue sends of a message, and when. */
export interface SentMessage {
  /** Milliseconds since the epoch; the message's own time, or later where it is held up or repeated. */
  readonly atMs: number;
  readonly message: MarketMessage;
}

/** A quarter of a second of a market that goes on. */
export interface MarketStep {
  readonly startMs: number;
  /** Milliseconds since the scenario began anew. */
  readonly sinceBeginMs: number;
  /** Everything in [startMs, startMs + 250) that the venue means to tell, in order: nothing of what it is silent about. */
  readonly happened: readonly MarketMessage[];
  /** What it sends of that under the scenario's faults. */
  readonly sent: readonly SentMessage[];
  /** The venue holds no connection. */
  readonly isDisconnected: boolean;
}

/**
 * A scenario as a venue would play it, from `startMs` on, over and over without an end: one market, forced closes now and then in all of
 * it. Of the faults it has those that a venue can have. Lazy; deterministic by scenario, seed and start.
 *
 * @throws RangeError when the seed or the start is out of range
 */
export function* endlessMarket({ scenario: name = 'demo', ...options }: EndlessMarketOptions): Generator<MarketStep, never> {
  const { seed, symbol, startMs } = placeOf(options);
  const market = new Market(simulatedInstrument(symbol), seed, ORDINARY);
  const random = new Random(seed, FAULT_STREAM);
  const scenario = scenarioOf(name);
  for (let fromMs = startMs; ; fromMs += scenario.episodeMs) {
    const faults = faultsOf(scenario, fromMs);
    for (let sinceBeginMs = 0; sinceBeginMs < scenario.episodeMs; sinceBeginMs += STEP_MS) {
      const told = tell(market.step(fromMs + sinceBeginMs, conditionsAt(scenario, sinceBeginMs)), random, faults, fromMs + sinceBeginMs);
      yield { startMs: fromMs + sinceBeginMs, sinceBeginMs, ...told };
    }
  }
}

function tell(
  messages: readonly MarketMessage[],
  random: Random,
  faults: readonly PlacedFault[],
  startMs: number,
): Pick<MarketStep, 'happened' | 'sent' | 'isDisconnected'> {
  const inForce = faults.filter((fault) => fault.startMs <= startMs && startMs < fault.endMs);
  const happened = messages.filter((message) => !inForce.some((fault) => isSilent(fault, message)));
  const kept = happened.filter((message) => !inForce.some((fault) => loses(fault, message)));
  const sent = kept.flatMap((message): SentMessage[] => {
    const atMs = message.tsMs + stallMs(random, inForce, message);
    return repeats(random, inForce, message)
      ? [
          { atMs, message },
          { atMs: atMs + random.integer(500, 30_000), message },
        ]
      : [{ atMs, message }];
  });
  return { happened, sent, isDisconnected: inForce.some(({ kind }) => kind === 'disconnect') };
}

/** Whether the fault is a choice of the venue: it does not tell. */
function isSilent(fault: PlacedFault, message: MarketMessage): boolean {
  if (fault.kind === 'inferred_liquidations') return message.kind === 'liquidation';
  return (fault.kind === 'silence' || fault.kind === 'limited_venue') && loses(fault, message);
}

function conditionsAt(scenario: Scenario, atMs: number): MarketConditions {
  return { ...ORDINARY, ...BACKGROUND, ...scenario.conditions(atMs) };
}

function faultsOf({ faults = [] }: Scenario, beginMs: number): PlacedFault[] {
  return faults.map((fault) => ({ ...fault, startMs: beginMs + fault.fromMs, endMs: beginMs + fault.toMs }));
}
