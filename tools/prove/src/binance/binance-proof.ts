import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Proof } from '../proof';
import { createRandom } from '../random';
import { checkFollowed } from './check-followed';
import { type FaultShares, spoil } from './delivery';
import { startFaultyVenue } from './faulty-venue';
import { followMarket } from './follow-market';
import { recordedMarkets } from './recorded-markets';
import type { RecordedMarket, RecordedMessage } from './recorded-market';
import { TrueBook } from './true-book';

const MESSAGES = 20_000;
/** Memory that the last runs may hold more than the first ones, bytes. */
const GROWTH_MAX = 48 * 1_048_576;
const FIRST_RUNS = 3;

interface Totals {
  runs: number;
  messages: number;
  books: number;
  trades: number;
  dropped: number;
  droppedTrades: number;
  doubled: number;
  reordered: number;
  disconnects: number;
  refusedBooks: number;
  oldBooks: number;
  collapsed: number;
  gaps: number;
}

/** The source and normalizer of Binance against a venue that plays real recordings and misbehaves. */
export const binanceProof: Proof = {
  id: 'binance',
  claim:
    'every book that the Binance adapter publishes is the one of the unbroken recording, whatever diffs are dropped, doubled and ' +
    'reordered; every diff and every trade that is missing is in a gap',
  budget: { default: 100, counts: `runs of ${MESSAGES.toLocaleString('en')} messages` },
  async run({ seed, budget, say }) {
    const markets = await recordedMarkets();
    const totals: Totals = {
      runs: 0,
      messages: 0,
      books: 0,
      trades: 0,
      dropped: 0,
      droppedTrades: 0,
      doubled: 0,
      reordered: 0,
      disconnects: 0,
      refusedBooks: 0,
      oldBooks: 0,
      collapsed: 0,
      gaps: 0,
    };
    const failures: string[] = [];
    let firstBytes = 0;
    for (let run = 0; run < budget; run++) {
      const market = markets[run % markets.length] as RecordedMarket;
      const runSeed = seed * 1_000 + run;
      for (const fault of await follow(market, runSeed, totals)) failures.push(`${market.name}, run ${runSeed}: ${fault}`);
      const bytes = bytesHeld();
      if (run < FIRST_RUNS) firstBytes = Math.max(firstBytes, bytes);
      else if (bytes > firstBytes + GROWTH_MAX)
        failures.push(`run ${runSeed} left ${megabytes(bytes)} MB, the first ones ${megabytes(firstBytes)} MB`);
      if ((run + 1) % 10 === 0)
        say(`${run + 1} runs, ${totals.books} books compared, ${failures.length} faults, ${megabytes(bytes)} MB held`);
    }
    const { books, trades, dropped, droppedTrades, doubled, reordered, disconnects, collapsed, gaps } = totals;
    if (dropped === 0 || droppedTrades === 0 || doubled === 0 || reordered === 0) failures.push('a fault of some kind never came');
    return {
      failures,
      timing: [],
      figures: [
        ['recordings', markets.map(({ name }) => name).join(', ')],
        ['messages', `${totals.messages} in ${totals.runs} runs`],
        ['diffs', `${dropped} dropped, ${doubled} doubled, ${reordered} reordered, ${collapsed} let go in full queues`],
        ['trades', `${droppedTrades} dropped, ${trades} logged`],
        ['connections lost', disconnects],
        ['whole books', `${totals.refusedBooks} refused, ${totals.oldBooks} answered with an old one`],
        ['gaps told', gaps],
        ['books compared', books],
        ['memory held', `${megabytes(firstBytes)} MB after the first runs, ${megabytes(bytesHeld())} MB at the end`],
      ],
    };
  },
};

async function follow(recorded: RecordedMarket, seed: number, totals: Totals): Promise<string[]> {
  const random = createRandom(seed);
  const { messages, snapshot } = recorded;
  const start = Math.floor(random() * Math.max(1, messages.length - MESSAGES));
  const book = new TrueBook(snapshot);
  for (const { diff } of messages.slice(0, start)) if (diff !== undefined) book.apply(diff);
  const made = messages.slice(start, start + MESSAGES);
  const delivery = spoil(made, sharesOf(random), random);
  const venue = await startFaultyVenue({ recorded, made, delivered: delivery.messages, book: book.copy(), random });
  try {
    const followed = await followMarket({
      recorded,
      venue,
      queueMax: random() < 0.3 ? 200 : 10_000,
      stall: random() < 0.5 ? 0 : 0.05,
      random,
    });
    count(totals, made, delivery, followed.statuses.filter(({ type }) => type === 'gap').length, venue.counts);
    totals.books += followed.books.length;
    totals.trades += followed.trades.length;
    totals.collapsed += followed.collapsed;
    return checkFollowed({ followed, made, book, missedMs: [...delivery.missedMs, ...venue.awayMs] });
  } finally {
    await venue.close();
  }
}

/** From hardly ever to every fiftieth diff. */
function sharesOf(random: () => number): FaultShares {
  const share = (most: number): number => most * random() ** 2;
  return { drop: share(0.02), double: share(0.02), reorder: share(0.02), disconnect: random() < 0.5 ? 0 : share(0.0005) };
}

function count(
  totals: Totals,
  made: readonly RecordedMessage[],
  delivery: ReturnType<typeof spoil>,
  gaps: number,
  venue: { disconnects: number; refusedBooks: number; oldBooks: number },
): void {
  totals.runs++;
  totals.messages += made.length;
  totals.dropped += delivery.dropped;
  totals.droppedTrades += delivery.droppedTrades;
  totals.doubled += delivery.doubled;
  totals.reordered += delivery.reordered;
  totals.disconnects += venue.disconnects;
  totals.refusedBooks += venue.refusedBooks;
  totals.oldBooks += venue.oldBooks;
  totals.gaps += gaps;
}

/** Bytes of the heap and of buffers that are still in use once everything else was let go. */
function bytesHeld(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}
