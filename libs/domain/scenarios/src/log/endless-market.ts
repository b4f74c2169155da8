import type { PlacedFault } from '../feed/fault';
import { loses, repeats, stallMs } from '../feed/fault-effects';
import { ORDINARY, type MarketConditions } from '../market/conditions';
import { simulatedInstrument } from '../market/instrument';
import { Market } from '../market/market';
import type { MarketMessage } from '../market/message';
import { STEP_MS } from '../market/step';
import { Random } from '../random/random';
import { scenarios, type ScenarioName } from '../scenario/scenarios';
import { placeSegments, type Segment } from '../scenario/segment';
import { livePlan } from './live-plan';
import { placeOf, type LogOptions } from './log-options';

const FAULT_STREAM = 3;
/** Forced closes that occur in any market: about one a minute, half the size of an ordinary order. */
const BACKGROUND = { liquidationsPerSecond: 0.02, liquidationSize: 0.5 } as const;

/** What a venue sends of a message, and when. */
export interface SentMessage {
  /** Milliseconds since the epoch; the message's own time, or later where it is held up or repeated. */
  readonly atMs: number;
  readonly message: MarketMessage;
}

/** A quarter of a second of a market that goes on. */
export interface MarketStep {
  readonly startMs: number;
  readonly scenario: ScenarioName;
  /** Everything in [startMs, startMs + 250) that the venue means to tell, in order: nothing of what it is silent about. */
  readonly happened: readonly MarketMessage[];
  /** What it sends of that under the scenario's faults. */
  readonly sent: readonly SentMessage[];
  /** The venue holds no connection. */
  readonly isDisconnected: boolean;
}

/**
 * The scenario set as a venue would play it, from `startMs` on and without an end: one market, every scenario in turn, forced closes
 * now and then in all of them. Lazy; deterministic by seed and start. `startMs` is a multiple of 10,000, as everywhere.
 *
 * @throws RangeError when the seed or the start is out of range
 */
export function* endlessMarket(options: LogOptions): Generator<MarketStep, never> {
  const { seed, symbol, startMs } = placeOf(options);
  const market = new Market(simulatedInstrument(symbol), seed, ORDINARY);
  const random = new Random(seed, FAULT_STREAM);
  for (let fromMs = startMs; ; ) {
    for (const segment of placeSegments(livePlan, fromMs)) {
      const faults = faultsOf(segment);
      for (let atMs = segment.fromMs; atMs < segment.toMs; atMs += STEP_MS) yield playStep(market, random, segment, atMs, faults);
      fromMs = segment.toMs;
    }
  }
}

function playStep(market: Market, random: Random, segment: Segment, startMs: number, faults: readonly PlacedFault[]): MarketStep {
  const inForce = faults.filter((fault) => fault.startMs <= startMs && startMs < fault.endMs);
  const happened = market
    .step(startMs, conditionsAt(segment, startMs))
    .filter((message) => !inForce.some((fault) => isSilent(fault, message)));
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
  return { startMs, scenario: segment.scenario, happened, sent, isDisconnected: inForce.some(({ kind }) => kind === 'disconnect') };
}

/** Whether the fault is a choice of the venue: it does not tell. */
function isSilent(fault: PlacedFault, message: MarketMessage): boolean {
  if (fault.kind === 'inferred_liquidations') return message.kind === 'liquidation';
  return (fault.kind === 'silence' || fault.kind === 'limited_venue') && loses(fault, message);
}

function conditionsAt({ scenario, fromMs }: Segment, clockMs: number): MarketConditions {
  const asked = scenarios[scenario].conditions(clockMs - fromMs);
  return { ...ORDINARY, ...BACKGROUND, ...asked };
}

function faultsOf({ scenario, fromMs, toMs }: Segment): PlacedFault[] {
  return (scenarios[scenario].faults ?? []).map((fault) => ({
    ...fault,
    startMs: fromMs + fault.fromMs,
    endMs: Math.min(toMs, fromMs + fault.toMs),
  }));
}
