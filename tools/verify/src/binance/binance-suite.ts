import { addUp, createRandom } from '@market-state/testing';
import { heldMib, type Suite } from '../harness';
import { checkFollowed } from './check-followed';
import { type FaultShares, spoil } from './delivery';
import { startFaultyVenue } from './faulty-venue';
import { followMarket } from './follow-market';
import { recordedMarkets } from './recorded-markets';
import type { RecordedMarket } from './recorded-market';
import { TrueBook } from './true-book';

const MESSAGES = 20_000;
/** Memory that the last runs may hold more than the first ones. */
const GROWTH_MIB_MAX = 48;
const FIRST_RUNS = 3;
const BOOKS_MIN = 500;

/** The source and normalizer of Binance against a venue that plays real recordings and misbehaves. */
export const binanceSuite: Suite = {
  id: 'binance',
  claim:
    'every book that the Binance adapter publishes is the one of the unbroken recording, whatever diffs are dropped, doubled and ' +
    'reordered; every diff and every trade that is missing is in a gap',
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
      report.check(lastMib <= firstMib + GROWTH_MIB_MAX, `run ${runSeed} left ${lastMib} MiB, the first ones ${firstMib} MiB`);
      if ((run + 1) % 10 === 0)
        say(`${run + 1} runs, ${addUp(runs).books} books compared, ${report.failures.length} faults, ${lastMib} MiB held`);
    }
    const { books, trades, dropped, droppedTrades, doubled, reordered, disconnects, collapsed, gaps, ...totals } = addUp(runs);
    report.check(books > BOOKS_MIN, `only ${books} books were compared`);
    report.check(totals.partialBooks > 0 && totals.withoutTrade > 0, 'no partial book, or no id without a trade, ever came');
    report.check(dropped > 0 && droppedTrades > 0 && doubled > 0 && reordered > 0, 'a fault of some kind never came');
    report.figure('recordings', markets.map(({ name }) => name).join(', '));
    report.figure('messages', `${totals.messages} in ${runs.length} runs`);
    report.figure('diffs', `${dropped} dropped, ${doubled} doubled, ${reordered} reordered, ${collapsed} let go in full queues`);
    report.figure('trades', `${droppedTrades} dropped, ${trades} logged`);
    report.figure('connections lost', disconnects);
    report.figure('trade ids without a trade', totals.withoutTrade);
    report.figure(
      'whole books',
      `${totals.refusedBooks} refused, ${totals.oldBooks} answered with an old one, ${totals.partialBooks} with the best levels only`,
    );
    report.figure('gaps told', gaps);
    report.figure('books compared', books);
    report.figure('memory held', `${firstMib} MiB after the first runs, ${lastMib} MiB at the end`);
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

/** From hardly ever to every fiftieth diff. */
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
