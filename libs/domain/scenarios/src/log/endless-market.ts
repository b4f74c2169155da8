import { loses, repeats, stallMs, type PlacedFault } from '../feed/fault';
import { ORDINARY, type MarketConditions, STEP_MS } from '../market/conditions';
import { simulatedInstrument } from '../market/instrument';
import { Market } from '../market/market';
import type { MarketMessage } from '../market/message';
import { Random } from '../random';
import type { Scenario } from '../scenario/scenario';
import { scenarioNames, scenarioOf, type ScenarioName } from '../scenario/scenarios';
import { placeOf, type LogOptions } from './scenario-log';

const FAULT_STREAM = 3;
/** About one per minute, half the size of an ordinary order. */
const BACKGROUND = { liquidationsPerSecond: 0.02, liquidationSize: 0.5 } as const;

interface EndlessMarketOptions extends LogOptions {
  /** Repeated scenario; default: the demonstration. */
  readonly scenario?: VenueScenario;
}

/** Excludes scenarios that only recordings and feeds can have. */
export type VenueScenario = Exclude<ScenarioName, (typeof FEED_ONLY)[number]>;

const FEED_ONLY = ['recording_seam', 'feed_down'] as const;

export const venueScenarios = scenarioNames.flatMap(({ name }) => (isPlayed(name) ? [name] : []));

function isPlayed(name: ScenarioName): name is VenueScenario {
  return !FEED_ONLY.some((feedOnly) => feedOnly === name);
}

export interface SentMessage {
  /** Message time, or later if delayed or repeated. */
  readonly atMs: number;
  readonly message: MarketMessage;
}

export interface MarketStep {
  readonly startMs: number;
  /** Since the scenario last restarted. */
  readonly sinceBeginMs: number;
  /** In [startMs, startMs + 250), before faults. */
  readonly happened: readonly MarketMessage[];
  /** After the scenario's faults. */
  readonly sent: readonly SentMessage[];
  readonly isDisconnected: boolean;
}

/**
 * Endless repetition of a scenario, with occasional liquidations and only faults a venue can have. Lazy; deterministic
 * by scenario, seed and start.
 * @throws RangeError if the seed or the start is out of range
 */
export function* endlessMarket({ scenario: name = 'demo', ...options }: EndlessMarketOptions): Generator<MarketStep, never> {
  const { seed, symbol, startMs } = placeOf(options);
  const market = new Market(simulatedInstrument(symbol), seed, ORDINARY);
  const random = new Random(seed, FAULT_STREAM);
  const scenario = scenarioOf(name);
  for (let fromMs = startMs; ; fromMs += scenario.episodeMs) {
    const faults = faultsOf(scenario, fromMs);
    for (let sinceBeginMs = 0; sinceBeginMs < scenario.episodeMs; sinceBeginMs += STEP_MS) {
      const messages = report(
        market.step(fromMs + sinceBeginMs, conditionsAt(scenario, sinceBeginMs)),
        random,
        faults,
        fromMs + sinceBeginMs,
      );
      yield { startMs: fromMs + sinceBeginMs, sinceBeginMs, ...messages };
    }
  }
}

function report(
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
