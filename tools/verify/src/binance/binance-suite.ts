import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { instrumentOf, type PlayedInstrument, type BookEvent, type BookLevel, type FeedStatus } from '@market-state/market-data';
import { bundledRecording } from '@market-state/recorded-market';
import { addUp, createRandom } from '@market-state/testing';
import { heldMib, type Suite } from '../harness';
import { type FaultShares, spoil } from './delivery';
import { startFaultyVenue } from './faulty-venue';
import { followMarket, type Followed } from './follow-market';
import { type RecordedMarket, readMarket, type RecordedMessage, TrueBook, type ReportedLevel } from './recorded-market';

const EVENT_LEVELS = 25;
const DEEP_LEVELS = 1_000;

interface CheckInput {
  readonly followed: Followed;
  readonly made: readonly RecordedMessage[];
  readonly book: TrueBook;
  readonly missedMs: readonly number[];
  readonly withoutTrade: ReadonlySet<number>;
}

function checkFollowed({ followed, made, book, missedMs, withoutTrade }: CheckInput): string[] {
  const faults: string[] = [];
  const byId = new Map<number, BookEvent[]>();
  for (const event of followed.books) byId.set(Number(event.venueId), [...(byId.get(Number(event.venueId)) ?? []), event]);
  const compare = (): void => {
    for (const event of byId.get(book.lastId) ?? []) {
      if (!isBook(event.bids, event.asks, book)) faults.push(`the book at update ${event.venueId} differs from the venue's`);
    }
    byId.delete(book.lastId);
  };
  compare();
  for (const { diff } of made) {
    if (diff === undefined) continue;
    book.apply(diff);
    compare();
  }
  for (const id of byId.keys()) faults.push(`there is a book at update ${id}, which the venue never had`);
  for (const { bids, asks, venueId } of followed.books) {
    if (Number(bids[0]?.price) > Number(asks[0]?.price)) faults.push(`the book at update ${venueId} is crossed`);
  }
  faults.push(...checkGaps(followed, missedMs), ...checkTrades(followed, made, withoutTrade), ...checkLast(followed, book));
  return faults;
}

/** Every missed change precedes the first book or lies in a closed gap. */
function checkGaps({ statuses, books }: Followed, missedMs: readonly number[]): string[] {
  const spans = endedGaps(statuses);
  const firstMs = books[0]?.exchangeTsMs ?? Infinity;
  const unreported = missedMs.filter(
    (timeMs) => timeMs > firstMs && !spans.some(({ startMs, endMs }) => startMs <= timeMs && timeMs <= endMs),
  );
  const open = new Set(statuses.flatMap((status) => (status.type === 'gap' && status.endMs === 0 ? [status.gapId] : [])));
  for (const { gapId } of spans) open.delete(gapId);
  return [
    ...unreported.map((timeMs) => `no gap covers the missing change at ${timeMs}`),
    ...[...open].map((gapId) => `${gapId} never ends`),
  ];
}

/**
 * No trade is logged twice, and every missing trade after the first one logged lies in a closed gap of trades or of all
 * channels.
 */
function checkTrades({ statuses, trades }: Followed, all: readonly RecordedMessage[], withoutTrade: ReadonlySet<number>): string[] {
  const made = all.filter(({ trade }) => trade === undefined || !withoutTrade.has(trade.t));
  const spans = endedGaps(statuses).filter(({ channel }) => channel === undefined || channel === 'trade');
  const logged = new Set(trades.map(({ venueId }) => Number(venueId)));
  const first = Number(trades[0]?.venueId);
  const missing = made.flatMap(({ trade }) => (trade !== undefined && trade.t > first && !logged.has(trade.t) ? [trade] : []));
  const unreported = missing.filter(({ T }) => !spans.some(({ startMs, endMs }) => startMs <= T && T <= endMs));
  return [
    ...unreported.map(({ t, T }) => `no gap covers the missing trade ${t} at ${T}`),
    ...(logged.size === trades.length ? [] : ['a trade was logged twice']),
    ...[...withoutTrade].filter((id) => logged.has(id)).map((id) => `trade ${id} was logged but never happened`),
  ];
}

function endedGaps(statuses: readonly FeedStatus[]): readonly Extract<FeedStatus, { type: 'gap' | 'resynced' }>[] {
  return statuses.flatMap((status) => ((status.type === 'gap' && status.endMs > 0) || status.type === 'resynced' ? [status] : []));
}

function checkLast({ last }: Followed, book: TrueBook): string[] {
  if (last?.deepBook === undefined || last.event.kind !== 'book') return ['no book was published'];
  if (Number(last.event.venueId) !== book.lastId)
    return [`the last book is at update ${last.event.venueId}, the venue's at ${book.lastId}`];
  const { bids, asks } = last.deepBook.levels(DEEP_LEVELS);
  return isBook(bids, asks, book) ? [] : ["the last book differs from the venue\'s"];
}

function isBook(bids: readonly BookLevel[], asks: readonly BookLevel[], book: TrueBook): boolean {
  return book.isSide('bids', bids.map(reportedLevel), EVENT_LEVELS) && book.isSide('asks', asks.map(reportedLevel), EVENT_LEVELS);
}

/** Quantities in the venue's units, possibly contracts. */
function reportedLevel({ price, size, venueSize }: BookLevel): ReportedLevel {
  return [price, venueSize ?? size];
}

const USDM: PlayedInstrument = {
  symbol: 'BTCUSD-PERP',
  venue: 'binance-usdm',
  venueInstrument: 'BTCUSDT',
  channels: ['book', 'trade'],
  bookStalenessMs: 5_000,
  tradeStalenessMs: 60_000,
  contextStalenessMs: 120_000,
  closingLagMs: 1_000,
};

async function recordedMarkets(): Promise<readonly RecordedMarket[]> {
  const files = (name: string): string[] => [8, 9].map((day) => bundledRecording(`${name}_2024080${day}.gz`));
  const markets = [
    await readMarket('BTCUSD_PERP', 'coinm', instrumentOf('BTCUSD-PERP'), files('btcusd_perp')),
    await readMarket('ETHUSD_PERP', 'coinm', instrumentOf('ETHUSD-PERP'), files('ethusd_perp')),
  ];
  const usdm = join(process.env['RECORDINGS_DIR'] ?? '', 'binance-usdm', 'btcusdt_20240808.gz');
  return existsSync(usdm) ? [...markets, await readMarket('BTCUSDT', 'usdm', USDM, [usdm])] : markets;
}

const MESSAGES = 20_000;
const GROWTH_MIB_MAX = 48;
const FIRST_RUNS = 3;
const BOOKS_MIN = 500;

export const binanceSuite: Suite = {
  id: 'binance',
  claim:
    "every book that the Binance adapter publishes equals the uninterrupted recording's, whichever diffs are dropped, duplicated and " +
    'reordered; a gap covers every missing diff and trade',
  budget: { default: 100, counts: `runs of ${MESSAGES.toLocaleString('en')} messages` },
  short: { seed: 1, budget: 3 },
  async run({ report, seed, budget, say }) {
    const markets = await recordedMarkets();
    const runs: Awaited<ReturnType<typeof follow>>['counts'][] = [];
    let firstMib = 0;
    let lastMib = 0;
    for (let run = 0; run < budget; run++) {
      const market = markets[run % markets.length] as RecordedMarket;
      const runSeed = seed * 1_000 + run;
      const { counts, faults } = await follow(market, runSeed);
      runs.push(counts);
      report.fail(...faults.map((fault) => `${market.name}, run ${runSeed}: ${fault}`));
      lastMib = heldMib();
      if (run < FIRST_RUNS) firstMib = Math.max(firstMib, lastMib);
      report.check(lastMib <= firstMib + GROWTH_MIB_MAX, `run ${runSeed} retained ${lastMib} MiB, the first ones ${firstMib} MiB`);
      if ((run + 1) % 10 === 0)
        say(`${run + 1} runs, ${addUp(runs).books} books compared, ${report.failures.length} faults, ${lastMib} MiB retained`);
    }
    const { books, trades, dropped, droppedTrades, doubled, reordered, disconnects, collapsed, gaps, ...totals } = addUp(runs);
    report.check(books > BOOKS_MIN, `only ${books} books were compared`);
    report.check(totals.partialBooks > 0 && totals.withoutTrade > 0, 'no partial book or no trade id without a trade occurred');
    report.check(dropped > 0 && droppedTrades > 0 && doubled > 0 && reordered > 0, 'some kind of fault never occurred');
    report.figure('recordings', markets.map(({ name }) => name).join(', '));
    report.figure('messages', `${totals.messages} in ${runs.length} runs`);
    report.figure('diffs', `${dropped} dropped, ${doubled} duplicated, ${reordered} reordered, ${collapsed} discarded by full queues`);
    report.figure('trades', `${droppedTrades} dropped, ${trades} logged`);
    report.figure('connections lost', disconnects);
    report.figure('trade ids without a trade', totals.withoutTrade);
    report.figure(
      'whole books',
      `${totals.refusedBooks} refused, ${totals.oldBooks} answered with an old one, ${totals.partialBooks} with only the best levels`,
    );
    report.figure('gaps reported', gaps);
    report.figure('books compared', books);
    report.figure('memory retained', `${firstMib} MiB after the first runs, ${lastMib} MiB at the end`);
  },
};

async function follow(recorded: RecordedMarket, seed: number) {
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
    const { dropped, droppedTrades, doubled, reordered } = delivery;
    const { disconnects, refusedBooks, oldBooks, partialBooks } = venue.counts;
    return {
      counts: {
        messages: made.length,
        books: followed.books.length,
        trades: followed.trades.length,
        collapsed: followed.collapsed,
        gaps: followed.statuses.filter(({ type }) => type === 'gap').length,
        dropped,
        droppedTrades,
        doubled,
        reordered,
        disconnects,
        refusedBooks,
        oldBooks,
        partialBooks,
        withoutTrade: delivery.withoutTrade.size,
      },
      faults: checkFollowed({
        followed,
        made,
        book,
        missedMs: [...delivery.missedMs, ...venue.awayMs],
        withoutTrade: delivery.withoutTrade,
      }),
    };
  } finally {
    await venue.close();
  }
}

/** From almost never to every fiftieth diff. */
function sharesOf(random: () => number): FaultShares {
  const share = (most: number): number => most * random() ** 2;
  return {
    drop: share(0.02),
    nothing: share(0.02),
    double: share(0.02),
    reorder: share(0.02),
    disconnect: random() < 0.5 ? 0 : share(0.0005),
  };
}
