import type { Channel } from '../event';
import { streamLines } from '../numbered/stream-lines';
import { krakenInstrument, krakenName } from './instrument';
import { parseFrame } from './message';

/** Forced closes are trades of type `liquidation`. */
const CHANNEL_OF: Readonly<Record<string, Channel>> = {
  book: 'book',
  book_snapshot: 'book',
  trade: 'liquidation',
  trade_snapshot: 'liquidation',
  ticker: 'context',
};

const HEAD = 200;
const PRODUCT = /^[0-9]{16,20}\s+\{\s*"feed"\s*:\s*"[a-z_]{1,40}"\s*,\s*"product_id"\s*:\s*"([^"\\]{1,40})"/;

export const krakenStreamLines = streamLines({
  id: 'kraken-ws',
  title: 'Kraken Futures public frames: receive time in nanoseconds, then the frame',
  example: '1786310819720000000 {"feed":"book","product_id":"PF_XBTUSD","side":"sell","seq":326094134,…}',
  venue: 'kraken',
  parseName: krakenName,
  namedAtHead: (line) => PRODUCT.exec(line.slice(0, HEAD))?.[1],
  namesOf: ({ feed, product_id: name }) => (typeof feed === 'string' && typeof name === 'string' ? [name] : undefined),
  channelOf: ({ feed }) => CHANNEL_OF[String(feed)],
  parse: parseFrame,
  factsOf: krakenInstrument,
});
