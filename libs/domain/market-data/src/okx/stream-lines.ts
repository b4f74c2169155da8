import type { Channel } from '../event';
import { isObject } from '../json';
import { streamLines } from '../numbered/stream-lines';
import { okxName } from './instrument';
import { parseFrame } from './message';

const CHANNEL_OF: Readonly<Record<string, Channel>> = {
  books: 'book',
  'trades-all': 'trade',
  'recent-trades': 'trade',
  'mark-price': 'context',
  'liquidation-orders': 'liquidation',
};

const HEAD = 200;
const ARGUMENT = /^[0-9]{16,20}\s+\{\s*"arg"\s*:\s*\{\s*"channel"\s*:\s*"([a-z-]{1,40})"\s*,\s*"instId"\s*:\s*"([^"\\]{1,40})"/;

export const okxStreamLines = streamLines({
  id: 'okx-ws',
  title: 'OKX v5 public frames of swaps: receive time in nanoseconds, then the frame',
  example: '1786310819720000000 {"arg":{"channel":"books","instId":"BTC-USDT-SWAP"},"action":"update","data":[…]}',
  venue: 'okx',
  parseName: okxName,
  namedAtHead(line) {
    const [, channel, instId] = ARGUMENT.exec(line.slice(0, HEAD)) ?? [];
    return channel === 'index-tickers' ? `${instId}-SWAP` : instId;
  },
  namesOf({ arg, data }) {
    if (!isObject(arg) || typeof arg['channel'] !== 'string') return undefined;
    const { channel, instId } = arg;
    if (channel === 'liquidation-orders') return namesIn(data);
    if (typeof instId !== 'string') return undefined;
    return channel === 'index-tickers' ? [`${instId}-SWAP`] : [instId];
  },
  channelOf: ({ arg }) => (isObject(arg) ? CHANNEL_OF[String(arg['channel'])] : undefined),
  parse: parseFrame,
  factsOf: () => undefined,
});

function namesIn(data: unknown): readonly string[] {
  const rows = Array.isArray(data) ? (data as unknown[]).filter(isObject) : [];
  return [...new Set(rows.flatMap(({ instId }) => (typeof instId === 'string' ? [instId] : [])))];
}
