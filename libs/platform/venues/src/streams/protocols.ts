import type { BookStream } from '../message-queue';
import type { Heartbeat } from '../venue-socket';

/** One request to a socket, and the keys that its acknowledgements carry. */
export interface StreamRequest {
  readonly socket: number;
  readonly text: string;
  readonly keys: readonly string[];
}

/** Reply to requests. A refusal may name the instruments; otherwise all of the request are meant. */
type StreamReply =
  | { readonly type: 'accepted'; readonly keys: readonly string[] }
  | { readonly type: 'refused'; readonly reason: string; readonly instrument?: string };

/** Undefined if the text is not a JSON object. */
function parseReply(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** History that a venue answers by REST, and the frame in which the answer is inserted. */
interface BackfillRequest {
  readonly path: string;
  frameOf(answer: string): string;
}

/** Public streams of a venue whose book subscriptions start with a whole book. */
export interface StreamProtocol {
  /** Paths below the WebSocket address. */
  readonly sockets: readonly string[];
  readonly heartbeat?: Heartbeat;
  /** Instruments of one subscription request. */
  readonly batchMax: number;
  /** @param what `all` channels, or only the `book`, whose new subscription brings a whole one */
  requests(method: 'subscribe' | 'unsubscribe', instruments: readonly string[], what: 'all' | 'book', id: number): readonly StreamRequest[];
  /** Must not throw. */
  replyOf(text: string): StreamReply | undefined;
  /** Undefined if the frame must never be dropped. */
  bookOf(text: string): BookStream | undefined;
  isWholeBook(text: string): boolean;
  backfill(instrument: string): readonly BackfillRequest[];
}

const BYBIT_BOOK = 'orderbook.200';
/** Changes of a book every 100 ms, all trades, context, and every liquidation. */
const BYBIT_TOPICS = ['publicTrade', 'tickers', 'allLiquidation', BYBIT_BOOK];
const BYBIT_BOOK_TOPIC = /^\{"topic":"orderbook\.[0-9]{1,4}\.([^"\\]{1,40})"/;
const BYBIT_WHOLE = /"type":"snapshot"/;

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
      const args = instruments.flatMap((name) => (what === 'book' ? [BYBIT_BOOK] : BYBIT_TOPICS).map((topic) => `${topic}.${name}`));
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
      const instrument = BYBIT_BOOK_TOPIC.exec(text.slice(0, 80))?.[1];
      return instrument === undefined ? undefined : { instrument, stream: 'orderbook' };
    },
    isWholeBook: (text) => BYBIT_WHOLE.test(text.slice(0, 120)),
    backfill: (instrument) => [
      {
        path: `v5/market/recent-trade?category=${category}&symbol=${encodeURIComponent(instrument)}&limit=1000`,
        frameOf: (answer) => `{"topic":${JSON.stringify(`recentTrades.${instrument}`)},"data":${answer}}`,
      },
    ],
  };
}

interface OkxArgument {
  readonly channel: string;
  readonly instId?: string;
  readonly instType?: 'SWAP';
}

const OKX_PUBLIC = ['tickers', 'mark-price', 'funding-rate', 'open-interest', 'books'];
const OKX_LIQUIDATIONS: OkxArgument = { channel: 'liquidation-orders', instType: 'SWAP' };
const OKX_BOOK = /^\{"arg":\{"channel":"books","instId":"([^"\\]{1,40})"\}/;
const OKX_WHOLE = /"action":"snapshot"/;
const OKX_NAMED = /instId:([A-Za-z0-9-]{1,40})/;

function okxKey({ channel, instId = '' }: OkxArgument): string {
  return `${channel} ${instId}`;
}

/**
 * `books` has 400 levels, changes every 100 ms. Every single trade is on the business address; the public channel
 * `trades` merges them. The venue closes connections without a message for 30 s.
 */
export const okxProtocol: StreamProtocol = {
  sockets: ['ws/v5/public', 'ws/v5/business'],
  heartbeat: { text: 'ping', isAnswer: (text) => text === 'pong' },
  batchMax: 50,
  requests(method, instruments, what) {
    const op = (args: readonly OkxArgument[]): string => JSON.stringify({ op: method, args });
    const books = instruments.map((instId): OkxArgument => ({ channel: 'books', instId }));
    if (what === 'book') return [{ socket: 0, text: op(books), keys: books.map(okxKey) }];
    const args = instruments.flatMap((instId): OkxArgument[] => [
      ...OKX_PUBLIC.map((channel) => ({ channel, instId })),
      { channel: 'index-tickers', instId: instId.replace(/-SWAP$/, '') },
    ]);
    const trades = instruments.map((instId): OkxArgument => ({ channel: 'trades-all', instId }));
    const shared = method === 'subscribe' ? [...args, OKX_LIQUIDATIONS] : args;
    return [
      { socket: 0, text: op(shared), keys: shared.map(okxKey) },
      { socket: 1, text: op(trades), keys: trades.map(okxKey) },
    ];
  },
  replyOf(text) {
    if (text.length > 2_000 || !text.includes('"event"')) return undefined;
    const { event, arg, msg } = parseReply(text) ?? {};
    if (event === 'subscribe' && typeof arg === 'object' && arg !== null) return { type: 'accepted', keys: [okxKey(arg as OkxArgument)] };
    if (event !== 'error') return undefined;
    const named = OKX_NAMED.exec(String(msg))?.[1];
    return { type: 'refused', reason: String(msg), ...(named !== undefined && { instrument: named }) };
  },
  bookOf(text) {
    const instrument = OKX_BOOK.exec(text.slice(0, 100))?.[1];
    return instrument === undefined ? undefined : { instrument, stream: 'books' };
  },
  isWholeBook: (text) => OKX_WHOLE.test(text.slice(0, 140)),
  backfill: (instrument) => [
    {
      path: `api/v5/market/trades?instId=${encodeURIComponent(instrument)}&limit=500`,
      frameOf: (answer) => `{"arg":{"channel":"recent-trades","instId":${JSON.stringify(instrument)}},"data":${answer}}`,
    },
  ],
};

const KRAKEN_FEEDS = ['trade', 'ticker', 'book'];
const KRAKEN_NAME = /"product_id":"([^"\\]{1,40})"/;
const KRAKEN_BOOK = /"feed":"book(?:_snapshot)?"/;
const KRAKEN_WHOLE = /"feed":"book_snapshot"/;
/** Characters of a frame that hold its feed and product. */
const KRAKEN_HEAD = 200;

/** A subscription to `trade` starts with the last 100 trades, so nothing is requested by REST. REST books have no number. */
export const krakenProtocol: StreamProtocol = {
  sockets: [''],
  batchMax: 50,
  requests(method, instruments, what) {
    return (what === 'book' ? ['book'] : KRAKEN_FEEDS).map((feed) => ({
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
    const head = text.slice(0, KRAKEN_HEAD);
    const instrument = KRAKEN_BOOK.test(head) ? KRAKEN_NAME.exec(head)?.[1] : undefined;
    return instrument === undefined ? undefined : { instrument, stream: 'book' };
  },
  isWholeBook: (text) => KRAKEN_WHOLE.test(text.slice(0, KRAKEN_HEAD)),
  backfill: () => [],
};
