import { silentLogger } from '@market-state/logging';
import { type FaultCommand, startSimulatedVenue } from '@market-state/simulated-venue';
import { sumOf, createRandom, oneOf, wholeBetween } from '@market-state/testing';
import { heldMib, type Suite } from '../harness';
import { AdapterRun } from './adapter-run';
import { LogCheck, TrueMarket } from './check-log';

interface PlannedFault {
  readonly command: FaultCommand;
  /** Milliseconds of the venue's clock. */
  readonly pauseMs: number;
}

/** Time for the log to recover: the longest reconnect delay plus one book. */
const RECOVERY_MS = 8_000;

type Make = (random: () => number) => FaultCommand;

const FAULTS: readonly [Make, ...Make[]] = [
  (random) => ({ fault: 'gap', channel: oneOf(['book', 'trade', 'all'], random), duration_ms: wholeBetween(500, 15_000, random) }),
  (random) => ({ fault: 'gap', channel: 'trade', duration_ms: wholeBetween(500, 20_000, random) }),
  (random) => ({ fault: 'reorder', span: wholeBetween(2, 30, random), duration_ms: wholeBetween(1_000, 10_000, random) }),
  (random) => ({ fault: 'duplicate', share: 0.1 + 0.9 * random(), duration_ms: wholeBetween(1_000, 20_000, random) }),
  (random) => ({ fault: 'crossed', duration_ms: wholeBetween(250, 5_000, random) }),
  (random) => ({ fault: 'stall', duration_ms: wholeBetween(1_000, 15_000, random) }),
  (random) => ({ fault: 'disconnect', duration_ms: wholeBetween(250, 20_000, random) }),
  (random) => ({ fault: 'garbage', count: wholeBetween(1, 30, random) }),
  (random) => ({
    fault: 'clock_skew',
    offset_ms: oneOf([-90_000_000, -3_000, 2_500, 4_500, 9_000], random),
    duration_ms: wholeBetween(1_000, 10_000, random),
  }),
];

function nextFault(random: () => number): PlannedFault {
  const command = oneOf(FAULTS, random)(random);
  const lastsMs = 'duration_ms' in command ? command.duration_ms : 0;
  return { command, pauseMs: lastsMs + RECOVERY_MS + wholeBetween(0, 20_000, random) };
}

/** 2026-01-05T00:00:00Z: the market follows from the seed. */
const START_MS = 1_767_571_200_000;
const STEP_MS = 250;
/** The venue has a context and a book after this time. */
const WARM_UP_MS = 4_000;
const BEGIN_MS = 30_000;
/** Fault-free time after the last fault: covers its minute and the comparison with that minute's candle. */
const GOOD_MS = 75_000;
/** Approximate number of messages in the fault-free end. */
const GOOD_MESSAGES = 1_750;
/** Maximum skew of a book's time into the future, after which true books are newer. */
const SKEW_MS_MAX = 6_000;
const OVERSIZED_KIND = 8;
const KINDS = 10;

interface SeedResult {
  readonly failures: readonly string[];
  readonly messages: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly gaps: number;
  readonly reconnections: number;
  readonly books: number;
  readonly trades: number;
  /** Trades missing from the log, each covered by a gap. */
  readonly tradesLost: number;
}

/**
 * Plays a seed: the venue misbehaves until it has sent the messages, behaves for 75 s, and the log is compared with the
 * ground truth.
 */
async function verifySeed(seed: number, messages: number): Promise<SeedResult> {
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
      ...(refused === garbageFrames ? [] : [`${garbageFrames} frames were garbage, but ${refused} were rejected`]),
      ...(adapter.oversizedFrames === oversizedFrames
        ? []
        : [`${oversizedFrames} frames were over 1 MiB, but ${adapter.oversizedFrames} were rejected`]),
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

function alignedEnd(ms: number): number {
  return Math.ceil((ms + 1) / (2 * STEP_MS)) * 2 * STEP_MS + STEP_MS;
}

const MESSAGES = 20_000;
/** Allowed memory growth from the third seed to the last: a seed's log is not retained. */
const GROWTH_MIB_MAX = 32;
const WARM_SEEDS = 3;
/** On average. */
const FAULTS_A_SEED_MIN = 2;

export const hyperliquidSuite: Suite = {
  id: 'hyperliquid',
  claim:
    'whatever the venue does, the final book is the true one, a gap covers all missing data, no crossed book is published, memory stays',
  budget: { default: 100, counts: 'seeds' },
  short: { seed: 20_260_105, budget: 3, messages: 3_000 },
  async run({ report, seed, budget, messages = MESSAGES, say }) {
    const results: SeedResult[] = [];
    const heldMibs: number[] = [];
    const startedMs = performance.now();
    for (let index = 0; index < budget; index++) {
      const result = await verifySeed(seed + index, messages);
      results.push(result);
      heldMibs.push(heldMib());
      const reported = Object.entries(result.faults).map(([fault, count]) => `${fault} ${count}`);
      say(
        `seed ${seed + index}: ${result.messages} messages, ${reported.join(', ')}; ${result.gaps} gaps, ${result.reconnections} ` +
          `reconnections, ${result.tradesLost} trades missing; ${heldMibs.at(-1)} MiB retained`,
      );
      for (const failure of result.failures)
        report.fail(`seed ${seed + index}: ${failure}. To repeat: --seed ${seed + index} --seeds 1 --messages ${messages}`);
    }
    const grown = budget > WARM_SEEDS ? (heldMibs.at(-1) ?? 0) - (heldMibs[WARM_SEEDS - 1] ?? 0) : 0;
    report.check(grown <= GROWTH_MIB_MAX, `Retained memory grew by ${grown} MiB from seed ${seed + WARM_SEEDS - 1} on.`);
    const total = (of: (result: SeedResult) => number): number => sumOf(results.map(of));
    report.check(total(({ messages: sent }) => sent) >= budget * messages, 'Some messages were not sent.');
    report.check(total(({ faults }) => sumOf(Object.values(faults))) >= FAULTS_A_SEED_MIN * budget, 'The venue had too few faults.');
    report.check(total(({ gaps }) => gaps) > 0, 'No gap was reported.');
    report.figure('seeds', `${seed} to ${seed + budget - 1}`);
    report.figure(
      'messages',
      total(({ messages: sent }) => sent),
    );
    report.figure(
      'faults',
      total(({ faults }) => sumOf(Object.values(faults))),
    );
    report.figure(
      'gaps reported',
      total(({ gaps }) => gaps),
    );
    report.figure(
      'reconnections',
      total(({ reconnections }) => reconnections),
    );
    report.figure(
      'books published',
      total(({ books }) => books),
    );
    report.figure(
      'trades in the log',
      total(({ trades }) => trades),
    );
    report.figure(
      'trades missing, each covered by a gap',
      total(({ tradesLost }) => tradesLost),
    );
    report.figure(
      'memory retained after each seed',
      `${Math.min(...heldMibs)} to ${Math.max(...heldMibs)} MiB, ${grown} MiB from the third to the last`,
    );
    report.figure('time', `${Math.round((performance.now() - startedMs) / 1_000)} s`);
  },
};
