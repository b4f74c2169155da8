import { parseReply, type StreamProtocol } from './protocol';

const FEEDS = ['trade', 'ticker', 'book'];
const NAME = /"product_id":"([^"\\]{1,40})"/;
const BOOK = /"feed":"book(?:_snapshot)?"/;
const WHOLE = /"feed":"book_snapshot"/;
/** Characters of a frame that hold its feed and product. */
const HEAD = 200;

/** A subscription to `trade` starts with the last 100 trades, so nothing is requested by REST. REST books have no number. */
export const krakenProtocol: StreamProtocol = {
  sockets: [''],
  batchMax: 50,
  requests(method, instruments, what) {
    return (what === 'book' ? ['book'] : FEEDS).map((feed) => ({
      socket: 0,
      text: JSON.stringify({ event: method, feed, product_ids: instruments }),
      keys: instruments.map((name) => `${feed} ${name}`),
    }));
  },
  replyOf(text) {
    if (text.length > 10_000 || !text.includes('"event"')) return undefined;
    const { event, feed, product_ids: names, message } = parseReply(text) ?? {};
    if (event === 'subscribed' && Array.isArray(names))
      return { type: 'accepted', keys: names.map((name) => `${String(feed)} ${String(name)}`) };
    return event === 'error' || event === 'subscribed_failed' ? { type: 'refused', reason: String(message) } : undefined;
  },
  bookOf(text) {
    const head = text.slice(0, HEAD);
    const instrument = BOOK.test(head) ? NAME.exec(head)?.[1] : undefined;
    return instrument === undefined ? undefined : { instrument, stream: 'book' };
  },
  isWholeBook: (text) => WHOLE.test(text.slice(0, HEAD)),
  backfill: () => [],
};
