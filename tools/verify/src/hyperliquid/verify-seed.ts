import { silentLogger } from '@market-state/logging';
import { type FaultCommand, startSimulatedVenue } from '@market-state/simulated-venue';
import { createRandom } from '@market-state/testing';
import { AdapterRun } from './adapter-run';
import { LogCheck } from './check-log';
import { nextFault } from './fault-plan';
import { TrueMarket } from './true-market';

/** 2026-01-05T00:00:00Z: the market is that of the seed. */
const START_MS = 1_767_571_200_000;
const STEP_MS = 250;
/** The venue has a context and a book by then. */
const WARM_UP_MS = 4_000;
/** Behaves for so long before the first fault. */
const BEGIN_MS = 30_000;
/** Behaves for so long after the last: until the minute of the last fault is over and held against its candle. */
const GOOD_MS = 75_000;
/** Messages that the good end takes, about. */
const GOOD_MESSAGES = 1_750;
/** How far ahead of the truth a skewed book may stand, and so how long until true ones are newer. */
const SKEW_MS_MAX = 6_000;
/** Of ten kinds of garbage, the one that is over 1 MiB. */
const OVERSIZED_KIND = 8;
const KINDS = 10;

/** What one seed showed. */
export interface SeedResult {
  readonly failures: readonly string[];
  readonly messages: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly gaps: number;
  readonly reconnections: number;
  readonly books: number;
  readonly trades: number;
  /** Trades that are in no entry of the log, all of them in a gap. */
  readonly tradesLost: number;
}

/** Plays a seed: the venue misbehaves at random until it has sent as many messages, behaves for 75 s, and the log is held to the truth. */
export async function verifySeed(seed: number, messages: number): Promise<SeedResult> {
  const random = createRandom(seed);
  const truth = new TrueMarket();
  const check = new LogCheck(truth, START_MS + WARM_UP_MS);
  const venue = await startSimulatedVenue({
    address: '127.0.0.1:0',
    seed,
    logger: silentLogger(),
    startMs: START_MS,
    scenario: 'calm',
    onStep: (step, trades) => truth.take(step, trades),
  });
  const faults: Record<string, number> = {};
  let garbageFrames = 0;
  let oversizedFrames = 0;
  let nextFaultMs = START_MS + WARM_UP_MS + BEGIN_MS;
  let timesHoldFromMs = 0;
  let nowMs = START_MS + WARM_UP_MS;
  venue.advanceTo(nowMs);
  const adapter = new AdapterRun(venue, nowMs, random);

  function misbehave(command: FaultCommand): void {
    faults[command.fault] = (faults[command.fault] ?? 0) + 1;
    const untilMs = venue.misbehave(command);
    if (command.fault === 'clock_skew') timesHoldFromMs = untilMs + SKEW_MS_MAX;
    if (command.fault !== 'garbage' || venue.connections === 0) return;
    for (let index = 0; index < command.count; index++) {
      if (index % KINDS === OVERSIZED_KIND) oversizedFrames++;
      else garbageFrames++;
    }
  }

  try {
    for (const event of await adapter.settleAt(nowMs)) check.take(event, true);
    for (let goodUntilMs = Infinity; nowMs < goodUntilMs; ) {
      nowMs += STEP_MS;
      await adapter.clockAt(nowMs);
      venue.advanceTo(nowMs);
      await venue.flushed();
      for (const event of await adapter.settleAt(nowMs)) check.take(event, nowMs >= timesHoldFromMs);
      if (nowMs >= goodUntilMs && venue.sentTotal < messages) goodUntilMs = alignedEnd(nowMs);
      if (goodUntilMs === Infinity && venue.sentTotal >= messages - GOOD_MESSAGES)
        goodUntilMs = alignedEnd(Math.max(nowMs, nextFaultMs) + GOOD_MS);
      if (goodUntilMs !== Infinity || nowMs < nextFaultMs) continue;
      const { command, pauseMs } = nextFault(random);
      misbehave(command);
      nextFaultMs = nowMs + pauseMs;
    }
    check.finish();
    const { broken_json, unknown_message, bad_price, bad_size } = adapter.rejections;
    const refused = broken_json + unknown_message + bad_price + bad_size;
    await adapter.close();
    const failures = [
      ...check.failures,
      ...(refused === garbageFrames ? [] : [`${garbageFrames} frames were garbage, ${refused} were refused`]),
      ...(adapter.oversizedFrames === oversizedFrames
        ? []
        : [`${oversizedFrames} frames were over 1 MiB, ${adapter.oversizedFrames} were refused`]),
    ];
    const { ledger, bookTotal: books, tradeTotal: trades } = check;
    return {
      failures,
      messages: venue.sentTotal,
      faults,
      gaps: ledger.size,
      reconnections: adapter.reconnections,
      books,
      trades,
      tradesLost: check.missing().length,
    };
  } finally {
    await adapter.close();
    await venue.close();
  }
}

/** The next moment at which a step ends that a whole book was pushed in. */
function alignedEnd(ms: number): number {
  return Math.ceil((ms + 1) / (2 * STEP_MS)) * 2 * STEP_MS + STEP_MS;
}
