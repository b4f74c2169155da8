import type { BookSide } from '../src/book-side';
import { DiffBook } from '../src/binance/diff-book';
import type { DepthDiff, DepthSnapshot, AcceptedMessage } from '../src/binance/message';
import { parseMessage } from '../src/binance/parse-message';
import { instrumentOf } from '../src/index';
import { NaiveBook, type RawRecording } from './oracle';
import { rawRecording, readLines, seeded } from './recording';

const INSTANTS = Number(process.env['PROPERTY_RUNS'] ?? 50);
const SEED = 20_240_808;

function entriesOf(side: BookSide): [number, number][] {
  const flat = side.top(Infinity);
  const entries: [number, number][] = [];
  for (let at = flat.length - 2; at >= 0; at -= 2) entries.push([(flat[at] ?? NaN) * side.direction, flat[at + 1] ?? NaN]);
  return entries;
}

/** True if the diffs, without `dropped`, reveal a gap after the snapshot. */
function findsGap(messages: readonly AcceptedMessage[], dropped: DepthDiff): boolean {
  const book = new DiffBook();
  for (const message of messages) {
    if (message.type === 'snapshot' && book.takeSnapshot(message) === 'stale') return true;
    if (message.type !== 'depth' || message === dropped) continue;
    const verdict = book.judge(message);
    if (verdict === 'gap') return true;
    if (verdict === 'next') book.apply(message);
  }
  return false;
}

describe.each(['BTCUSD-PERP', 'ETHUSD-PERP'])('book of the %s recording', (symbol) => {
  const lines = readLines(symbol);
  const { venueInstrument } = instrumentOf(symbol);
  let raw: RawRecording;
  let messages: readonly AcceptedMessage[];
  let diffs: readonly DepthDiff[];
  let snapshot: DepthSnapshot;
  /** Diffs after the snapshot. */
  let used: readonly DepthDiff[];

  beforeAll(() => {
    raw = rawRecording(symbol);
    messages = lines
      .map((line) => parseMessage(line, line.indexOf(' ') + 1, venueInstrument, 'coinm'))
      .filter((message): message is AcceptedMessage => message.type !== 'ignored' && message.type !== 'rejected');
    diffs = messages.filter((message) => message.type === 'depth');
    const found = messages.find((message) => message.type === 'snapshot');
    if (found === undefined) throw new Error('no snapshot in the recording');
    snapshot = found;
    used = diffs.filter((diff) => diff.lastId >= found.lastId);
  });

  it('takes every line that is not a bookTicker', () => {
    expect(messages).toHaveLength(lines.length - raw.tickers.length);
    expect(diffs).toHaveLength(raw.diffs.length);
  });

  it('equals the last bookTicker up to its update id after every diff, and is never crossed or one-sided', () => {
    const book = new DiffBook();
    let tickerIndex = -1;
    let compared = 0;
    for (const message of messages) {
      if (message.type === 'trade') continue;
      if (message.type === 'snapshot') expect(book.takeSnapshot(message)).toBe('taken');
      else if (message.type === 'depth' && book.judge(message) === 'next') book.apply(message);
      if (!book.hasBook) continue;
      while ((raw.tickers[tickerIndex + 1]?.u ?? Infinity) <= book.lastId) tickerIndex++;
      const ticker = raw.tickers[tickerIndex];
      if (ticker === undefined) continue;
      const [bid, ask] = [book.bids.top(1), book.asks.top(1)];
      const top = [bid[0] ?? NaN, bid[1], -(ask[0] ?? NaN), ask[1]];
      if (top.join() !== [ticker.b, ticker.B, ticker.a, ticker.A].map(Number).join()) throw new Error(`differs at update ${book.lastId}`);
      if (!(book.bids.bestPrice < book.asks.bestPrice)) throw new Error(`crossed at update ${book.lastId}`);
      compared++;
    }
    const afterSnapshot = messages
      .slice(messages.findIndex((message) => message.type === 'snapshot'))
      .filter((message) => message.type !== 'trade');
    expect(compared).toBe(afterSnapshot.length);
  });

  it(`equals a naive rebuild in full at ${INSTANTS} seeded instants (seed ${SEED})`, () => {
    const random = seeded(SEED);
    let compared = 0;
    const instants = new Set(Array.from({ length: INSTANTS }, () => Math.floor(random() * used.length)));
    const book = new DiffBook();
    const naive = new NaiveBook(raw.snapshot);
    book.takeSnapshot(snapshot);
    const rawUsed = raw.diffs.slice(raw.diffs.length - used.length);
    used.forEach((diff, index) => {
      const rawDiff = rawUsed[index];
      if (rawDiff === undefined || rawDiff.u !== diff.lastId) throw new Error('diffs out of step');
      if (book.judge(diff) !== 'next') throw new Error(`not in sequence: ${diff.lastId}`);
      book.apply(diff);
      naive.apply(rawDiff);
      if (!instants.has(index)) return;
      if (`${entriesOf(book.bids)}` !== `${naive.covered('bids')}`) throw new Error(`bids differ at update ${diff.lastId}`);
      if (`${entriesOf(book.asks)}` !== `${naive.covered('asks')}`) throw new Error(`asks differ at update ${diff.lastId}`);
      compared++;
    });
    expect(compared).toBe(instants.size);
  });

  it('finds the gap when any one diff is dropped; without the last one the book ends short', () => {
    const [first] = used;
    const last = used.at(-1);
    if (first === undefined || last === undefined) throw new Error('no diffs');
    expect([findsGap(messages, first), findsGap(messages, last)]).toEqual([true, false]);
    const book = new DiffBook();
    book.takeSnapshot(snapshot);
    const unseen = used.slice(0, -1).filter((diff, index) => {
      const isGap = book.judge(used[index + 1] ?? last) === 'gap';
      book.apply(diff);
      return !isGap;
    });
    expect(unseen).toEqual([]);
    expect(used.at(-2)?.lastId).toBe(last.previousLastId);
  });
});
