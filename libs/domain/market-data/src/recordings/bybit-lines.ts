import { bybitInstrument, bybitSymbolOf } from '../bybit/instrument';
import type { BybitMessage } from '../bybit/message';
import { BybitNormalizer } from '../bybit/normalizer';
import { parseFrame } from '../bybit/parse-frame';
import { CHANNELS, type Channel } from '../event';
import { parseObject } from '../json';
import { IGNORED, rejected } from '../not-taken';
import { secondsToMs } from '../receive-time';
import { type LineFormat, type LineReader, oneOrNone } from './line-format';

const RECORD = /^\{"t":"(connect|send|recv)","conn":"([^"\\]{1,64})","ts":([0-9.]{1,24})[,}]/;
/** A topic inside a frame, whose quotes are escaped as the frame is a string in the record. */
const TOPIC = /\\"(orderbook\.200|publicTrade|tickers|allLiquidation)\.([A-Z0-9-]{1,40})\\"/g;
const FRAME_TOPIC = /"data":"\{\\"topic\\":\\"[A-Za-z0-9.]{1,30}\.([A-Z0-9-]{1,40})\\"/;
const CHANNEL_OF_TOPIC = new Map<string, Channel>([
  ['orderbook.200', 'book'],
  ['publicTrade', 'trade'],
  ['tickers', 'context'],
  ['allLiquidation', 'liquidation'],
]);

/** Channels that were subscribed or received: one that was subscribed and stayed silent is reported, and had nothing to say. */
function channelsOf(head: readonly string[], venueInstrument: string): readonly Channel[] {
  const topics = new Set(
    head.flatMap((line) =>
      [...line.matchAll(TOPIC)].filter(([, , name]) => name === venueInstrument).map(([, topic = '']) => CHANNEL_OF_TOPIC.get(topic)),
    ),
  );
  return CHANNELS.filter((channel) => topics.has(channel));
}

/** A connection that carried the instrument and connects again has lost it in between. */
function readerOf(venueInstrument: string): LineReader<BybitMessage> {
  const carriers = new Set<string>();
  return (line) => {
    const [, kind, connection = '', seconds = ''] = RECORD.exec(line) ?? [];
    const receivedMs = secondsToMs(seconds);
    if (receivedMs === undefined) return undefined;
    if (kind === 'connect') return { receivedMs, message: carriers.has(connection) ? { type: 'reconnected' } : IGNORED };
    if (kind === 'send') return { receivedMs, message: IGNORED };
    const frame = parseObject(line)?.['data'];
    const message = typeof frame === 'string' ? parseFrame(frame, venueInstrument) : rejected('broken_json');
    if (message.type !== 'ignored' && message.type !== 'rejected') carriers.add(connection);
    return { receivedMs, message };
  };
}

export const bybitLines: LineFormat<BybitMessage> = {
  id: 'bybit',
  title: 'Bybit v5 public linear: connection records with the local time in seconds and the frame as a string',
  example: '{"t":"recv","conn":"BYBIT.ws.2","ts":1786310819.72,"data":"{\\"topic\\":\\"orderbook.200.BTCUSDT\\",…}"}',
  matches: (line) => RECORD.test(line),
  instrumentsOf(line) {
    const name = FRAME_TOPIC.exec(line)?.[1];
    return name === undefined ? [] : [name];
  },
  symbolsOf: (name) => oneOrNone(bybitSymbolOf(name)),
  factsOf: (symbol, name, head) => bybitInstrument(symbol, name, channelsOf(head, name)),
  readerOf,
  exchangeTimesOf(message) {
    if (message.type === 'snapshot' || message.type === 'delta') return [message.timeMs];
    return message.type === 'entries' ? message.entries.flatMap((entry) => ('timeMs' in entry ? [entry.timeMs] : [])) : [];
  },
  normalizerOf: (place, log) => new BybitNormalizer(place, log),
};
