import { parseReply, type StreamProtocol } from './protocol';

const BOOK = 'orderbook.200';
/** Changes of a book every 100 ms, all trades, context, and every liquidation. */
const TOPICS = ['publicTrade', 'tickers', 'allLiquidation', BOOK];
const BOOK_TOPIC = /^\{"topic":"orderbook\.[0-9]{1,4}\.([^"\\]{1,40})"/;
const WHOLE = /"type":"snapshot"/;

/**
 * The venue closes connections that are silent for 10 minutes, and requests over 21,000 characters. Its REST book
 * numbers the 1,000-level stream, so a whole book is had by subscribing again.
 */
export function bybitProtocol(category: 'linear' | 'inverse'): StreamProtocol {
  return {
    sockets: [''],
    heartbeat: { text: '{"op":"ping"}', isAnswer: (text) => text.length < 300 && /"op":"(?:ping|pong)"/.test(text) },
    batchMax: 100,
    requests(method, instruments, what, id) {
      const args = instruments.flatMap((name) => (what === 'book' ? [BOOK] : TOPICS).map((topic) => `${topic}.${name}`));
      return [{ socket: 0, text: JSON.stringify({ req_id: String(id), op: method, args }), keys: [String(id)] }];
    },
    replyOf(text) {
      if (text.length > 2_000 || !/"op":"(?:un)?subscribe"/.test(text)) return undefined;
      const reply = parseReply(text);
      if (reply === undefined) return undefined;
      if (reply['success'] === true) return { type: 'accepted', keys: [String(reply['req_id'])] };
      return { type: 'refused', reason: String(reply['ret_msg']) };
    },
    bookOf(text) {
      const instrument = BOOK_TOPIC.exec(text.slice(0, 80))?.[1];
      return instrument === undefined ? undefined : { instrument, stream: 'orderbook' };
    },
    isWholeBook: (text) => WHOLE.test(text.slice(0, 120)),
    backfill: (instrument) => [
      {
        path: `v5/market/recent-trade?category=${category}&symbol=${encodeURIComponent(instrument)}&limit=1000`,
        frameOf: (answer) => `{"topic":${JSON.stringify(`recentTrades.${instrument}`)},"data":${answer}}`,
      },
    ],
  };
}
