import { silentLogger } from '@market-state/logging';
import { discoverInstruments, type InstrumentRow, venueOf } from '@market-state/market-data';
import { STAND_IN_PROTOCOLS, type StandInFault, type StandInProtocol, startStandIn } from '@market-state/simulated-venue';
import { addUp, createRandom, oneOf, wholeBetween } from '@market-state/testing';
import { listingAnswers } from '@market-state/venues';
import type { Suite } from '../harness';
import { StreamCheck } from './check-stream';
import { StreamRun } from './stream-run';

/** 2026-01-05T00:00:00Z: the market follows from the seed. */
const START_MS = 1_767_571_200_000;
const STEP_MS = 250;
const WARM_UP_MS = 10_000;
/** Time for the log to recover: the longest reconnect delay, the metadata's retry, and a book. */
const RECOVERY_MS = 60_000;
const PROTOCOLS: readonly StandInProtocol[] = STAND_IN_PROTOCOLS;

type Make = (random: () => number) => StandInFault;

/** Bybit and OKX number no trades, so only their books and contexts are dropped. */
function faultsOf(protocol: StandInProtocol): readonly [Make, ...Make[]] {
  const dropped = protocol === 'kraken' ? (['book', 'trade', 'all'] as const) : (['book', 'context'] as const);
  return [
    (random) => ({
      fault: 'drop',
      channel: oneOf(dropped, random),
      share: 0.05 + 0.5 * random(),
      duration_ms: wholeBetween(250, 6_000, random),
    }),
    (random) => ({ fault: 'drop', channel: 'book', share: 0.02, duration_ms: wholeBetween(2_000, 15_000, random) }),
    (random) => ({ fault: 'duplicate', share: 0.1 + 0.9 * random(), duration_ms: wholeBetween(1_000, 15_000, random) }),
    (random) => ({ fault: 'reorder', span: wholeBetween(2, 20, random), duration_ms: wholeBetween(500, 5_000, random) }),
    (random) => ({ fault: 'disconnect', duration_ms: wholeBetween(250, 15_000, random) }),
    (random) => ({ fault: 'delisted', duration_ms: wholeBetween(60_000, 130_000, random) }),
    () => ({ fault: 'tick_size', tick_size: '0.5' }),
    (random) => ({ fault: 'restart', is_lost: random() < 0.5 }),
  ];
}

/** Row of the stand-in's instrument, made of its own metadata as `SYMBOLS=all` does. */
async function discoveredRow(venue: string, restUrl: string): Promise<InstrumentRow> {
  const feed = venueOf(venue)?.live?.feed ?? '';
  const { rows } = await discoverInstruments({
    feeds: [feed],
    rows: [],
    ask: async (name, requests) => (name === venue ? listingAnswers(restUrl, requests) : emptyAnswers(requests)),
  });
  const row = rows.find((each) => each.venue === venue && each.symbol === 'SIMUSD-PERP');
  if (row === undefined) throw new Error(`${venue} lists no SIMUSD-PERP`);
  return row;
}

function emptyAnswers(requests: readonly { readonly name: string }[]) {
  return Object.fromEntries(requests.map(({ name }) => [name, []]));
}

/** Plays a seed: the stand-in misbehaves, then behaves, and the log is compared with what happened. */
async function verifyStream(protocol: StandInProtocol, seed: number, steps: number) {
  const random = createRandom(seed);
  const started: { check?: StreamCheck } = {};
  const venue = await startStandIn({
    protocol,
    address: '127.0.0.1:0',
    seed,
    logger: silentLogger(),
    startMs: START_MS,
    onStep: (step, book) => started.check?.played(step, book),
  });
  const row = await discoveredRow(venue.venue, venue.restUrl);
  let nowMs = START_MS + WARM_UP_MS;
  const check = (started.check = new StreamCheck(row, nowMs + STEP_MS, protocol === 'kraken'));
  venue.advanceTo(nowMs);
  const run = new StreamRun(venue, row, nowMs, random);
  const faults: Record<string, number> = {};
  const makers = faultsOf(protocol);
  let nextFaultMs = nowMs + WARM_UP_MS;
  try {
    for (let step = 0; step < steps || nowMs < nextFaultMs + RECOVERY_MS; step++) {
      nowMs += STEP_MS;
      if (nowMs >= nextFaultMs && step < steps) {
        const fault = oneOf(makers, random)(random);
        venue.misbehave(fault);
        faults[fault.fault] = (faults[fault.fault] ?? 0) + 1;
        nextFaultMs = nowMs + ('duration_ms' in fault ? fault.duration_ms : 0) + wholeBetween(2_000, 30_000, random);
      }
      venue.advanceTo(nowMs);
      await venue.flushed();
      for (const event of await run.advanceTo(nowMs)) check.take(event);
    }
  } finally {
    await run.close();
    await venue.close();
  }
  check.finish();
  const {
    bookTotal: books,
    tradeTotal: trades,
    liquidationTotal: liquidations,
    contextTotal: contexts,
    gapTotal: gaps,
    unequalTotal: inGap,
    failures,
  } = check;
  const { reconnections, missing } = run;
  return {
    failures,
    faults,
    counts: { sent: venue.sentTotal, books, inGap, trades, liquidations, contexts, gaps, reconnections, delisted: missing.length },
  };
}

const STEPS = 2_000;

export const venueSuite: Suite = {
  id: 'venues',
  claim:
    'every book that the adapters of Bybit, OKX and Kraken publish equals the stand-in venue’s or lies in a gap, whichever frames are dropped, ' +
    'doubled and reordered, whenever the venue is away, delists the instrument, changes its tick or restarts its numbers',
  budget: { default: 40, counts: `seeds, of ${STEPS.toLocaleString('en')} steps of 250 ms each` },
  short: { seed: 1, budget: 4 },
  async run({ report, seed, budget, say }) {
    for (const protocol of PROTOCOLS) {
      const results: Awaited<ReturnType<typeof verifyStream>>['counts'][] = [];
      const faults: Record<string, number> = {};
      for (let index = 0; index < Math.max(1, Math.floor(budget / PROTOCOLS.length)); index++) {
        const result = await verifyStream(protocol, seed + index, STEPS);
        results.push(result.counts);
        for (const [name, count] of Object.entries(result.faults)) faults[name] = (faults[name] ?? 0) + count;
        report.fail(...result.failures.map((failure) => `${protocol}, seed ${seed + index}: ${failure}`));
      }
      const total = addUp(results);
      report.check(total.books > 500 && total.trades > 100 && total.gaps > 0, `${protocol}: too little was compared`);
      const counts = Object.entries(total).map(([name, count]) => `${count} ${name}`);
      const reported = Object.entries(faults).map(([name, count]) => `${name} ${count}`);
      say(`${protocol}: ${counts.join(', ')}; faults: ${reported.join(', ')}`);
      report.figure(protocol, `${counts.join(', ')}; faults: ${reported.join(', ')}`);
    }
  },
};
