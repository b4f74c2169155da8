import { parseReply, type StreamProtocol } from './protocol';

interface Argument {
  readonly channel: string;
  readonly instId?: string;
  readonly instType?: 'SWAP';
}

const PUBLIC = ['tickers', 'mark-price', 'funding-rate', 'open-interest', 'books'];
const LIQUIDATIONS: Argument = { channel: 'liquidation-orders', instType: 'SWAP' };
const BOOK = /^\{"arg":\{"channel":"books","instId":"([^"\\]{1,40})"\}/;
const WHOLE = /"action":"snapshot"/;
const NAMED = /instId:([A-Za-z0-9-]{1,40})/;

function keyOf({ channel, instId = '' }: Argument): string {
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
    const op = (args: readonly Argument[]): string => JSON.stringify({ op: method, args });
    const books = instruments.map((instId): Argument => ({ channel: 'books', instId }));
    if (what === 'book') return [{ socket: 0, text: op(books), keys: books.map(keyOf) }];
    const args = instruments.flatMap((instId): Argument[] => [
      ...PUBLIC.map((channel) => ({ channel, instId })),
      { channel: 'index-tickers', instId: instId.replace(/-SWAP$/, '') },
    ]);
    const trades = instruments.map((instId): Argument => ({ channel: 'trades-all', instId }));
    const shared = method === 'subscribe' ? [...args, LIQUIDATIONS] : args;
    return [
      { socket: 0, text: op(shared), keys: shared.map(keyOf) },
      { socket: 1, text: op(trades), keys: trades.map(keyOf) },
    ];
  },
  replyOf(text) {
    if (text.length > 2_000 || !text.includes('"event"')) return undefined;
    const { event, arg, msg } = parseReply(text) ?? {};
    if (event === 'subscribe' && typeof arg === 'object' && arg !== null) return { type: 'accepted', keys: [keyOf(arg as Argument)] };
    if (event !== 'error') return undefined;
    const named = NAMED.exec(String(msg))?.[1];
    return { type: 'refused', reason: String(msg), ...(named !== undefined && { instrument: named }) };
  },
  bookOf(text) {
    const instrument = BOOK.exec(text.slice(0, 100))?.[1];
    return instrument === undefined ? undefined : { instrument, stream: 'books' };
  },
  isWholeBook: (text) => WHOLE.test(text.slice(0, 140)),
  backfill: (instrument) => [
    {
      path: `api/v5/market/trades?instId=${encodeURIComponent(instrument)}&limit=500`,
      frameOf: (answer) => `{"arg":{"channel":"recent-trades","instId":${JSON.stringify(instrument)}},"data":${answer}}`,
    },
  ],
};
