import { bybitInstrument, bybitName } from '../bybit/venue';
import { BOOK_LEVELS, parseFrame } from '../bybit/stream-lines';
import { CHANNELS, type Channel } from '../event';
import { parseObject } from '../json';
import { exchangeTimesOf, type NumberedMessage } from '../numbered/message';
import { NumberedNormalizer } from '../numbered/normalizer';
import { IGNORED, rejected } from '../rejections';
import { secondsToMs } from '../text-forms';
import { type LineFormat, type LineReader, PASSED_OVER } from './line-format';
import type { PeekedFile } from './peeked-file';
import { checkSeconds } from './receive-times';
import { RecordingError } from './recording-notes';

type RecordedMarket = 'linear' | 'spot' | 'inverse' | 'option' | 'other';

const MARKET = /\/v5\/public\/(linear|spot|inverse|option)(?:[/?]|$)/;

function marketOf(address: string): RecordedMarket {
  return (MARKET.exec(address)?.[1] as RecordedMarket | undefined) ?? 'other';
}

/** Identifies connections to linear perpetuals: `BTCUSDT` is both a perpetual and a spot pair. */
class BybitConnections {
  private readonly markets = new Map<string, RecordedMarket>();

  opened(connection: string, address: string): void {
    this.markets.set(connection, marketOf(address));
  }

  marketOf(connection: string): RecordedMarket | undefined {
    return this.markets.get(connection);
  }

  isLinear(connection: string): boolean {
    const market = this.markets.get(connection);
    return market === undefined || market === 'linear';
  }
}

/** Usual field order, which also matches truncated lines. Anything else is parsed. */
const RECORD =
  /^\{\s*"t"\s*:\s*"(connect|send|recv|http|header)"\s*,\s*"(?:conn"\s*:\s*"([^"\\]{1,64})"\s*,\s*"ts"\s*:\s*([0-9.]{1,24})|format"\s*:\s*[0-9]{1,3}\s*,\s*"exchange"\s*:\s*"([A-Z0-9_.]{1,40})")\s*[,}]/;
const EXCHANGE = 'BYBIT';
const KINDS: readonly unknown[] = ['connect', 'send', 'recv', 'http', 'header'];
const OTHER_EXCHANGE = /^(?!BYBIT\.)[A-Z0-9_.]{1,40}\.(?:ws|http)\./;
const ADDRESS = /"addr"\s*:\s*"([^"\\]{1,300})"/;
/** Topic inside a frame; quotes are escaped because the frame is a JSON string. */
const TOPIC = /\\"(orderbook\.[0-9]{1,4}|publicTrade|tickers|allLiquidation)\.([^.\\"]{1,40})\\"/g;
const FRAME_TOPIC = /"data"\s*:\s*"\{\s*\\"topic\\"\s*:\s*\\"[A-Za-z0-9.]{1,30}\.([^.\\"]{1,40})\\"/;
const ESCAPE = /\\\\u([0-9a-fA-F]{4})/g;
const CHANNEL_OF_TOPIC = new Map<string, Channel>([
  ['orderbook', 'book'],
  ['publicTrade', 'trade'],
  ['tickers', 'context'],
  ['allLiquidation', 'liquidation'],
]);

interface CaptureRecord {
  readonly kind: string;
  readonly connection: string;
  readonly seconds: string;
  readonly exchange?: string | undefined;
}

function recordOf(line: string): CaptureRecord | undefined {
  const [, kind, connection = '', seconds = '', exchange] = RECORD.exec(line) ?? [];
  if (kind !== undefined) return { kind, connection, seconds, exchange };
  const { t, conn, ts, exchange: named } = parseObject(line) ?? {};
  if (typeof t !== 'string' || !KINDS.includes(t)) return undefined;
  if (t === 'header') return typeof named === 'string' ? { kind: t, connection: '', seconds: '', exchange: named } : undefined;
  return typeof conn === 'string' && typeof ts === 'number' ? { kind: t, connection: conn, seconds: String(ts) } : undefined;
}

function frameInstrument(line: string): string | undefined {
  const name = FRAME_TOPIC.exec(line)?.[1];
  if (name !== undefined || !line.includes('\\"topic\\"')) return name;
  const { data } = parseObject(line) ?? {};
  const topic = typeof data === 'string' ? parseObject(data)?.['topic'] : undefined;
  return typeof topic === 'string' && topic.includes('.') ? topic.slice(topic.lastIndexOf('.') + 1) : undefined;
}

function isOfLinear(line: string, connections: BybitConnections): boolean {
  const { kind, connection = '' } = recordOf(line) ?? {};
  const address = kind === 'connect' || kind === 'send' ? ADDRESS.exec(line)?.[1] : undefined;
  if (address !== undefined) connections.opened(connection, address);
  return connections.isLinear(connection);
}

function topicsIn(head: readonly string[]): readonly (readonly [topic: string, name: string])[] {
  const connections = new BybitConnections();
  return head.flatMap((line) =>
    isOfLinear(line, connections) ? [...unescaped(line).matchAll(TOPIC)].map(([, topic = '', name = '']) => [topic, name] as const) : [],
  );
}

function unescaped(line: string): string {
  return line.replaceAll(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Subscribed or received channels. A subscribed silent channel was provided but had no data. */
function channelsOf(head: readonly string[], venueInstrument: string): readonly Channel[] {
  const topics = topicsIn(head).filter(([, name]) => name === venueInstrument);
  const channels = new Set(topics.map(([topic]) => CHANNEL_OF_TOPIC.get(topic.split('.')[0] ?? '')));
  return CHANNELS.filter((channel) => channels.has(channel));
}

function bookLevelsOf(head: readonly string[], venueInstrument: string): number {
  const levels = topicsIn(head).flatMap(([topic, name]) =>
    name === venueInstrument && topic.startsWith('orderbook.') ? [Number(topic.slice(10))] : [],
  );
  return levels.length === 0 ? BOOK_LEVELS : Math.max(...levels);
}

function readerOf(venueInstrument: string, head: readonly string[] = []): LineReader<NumberedMessage> {
  const connections = new BybitConnections();
  const carriers = new Set<string>();
  const bookLevels = bookLevelsOf(head, venueInstrument);
  return (line) => {
    const { kind, connection = '', seconds = '', exchange } = recordOf(line) ?? {};
    if (kind === 'http' || exchange === EXCHANGE) return PASSED_OVER;
    const receivedMs = secondsToMs(seconds);
    if (receivedMs === undefined) return undefined;
    const address = kind === 'recv' ? undefined : ADDRESS.exec(line)?.[1];
    if (address !== undefined) connections.opened(connection, address);
    if (!connections.isLinear(connection)) return PASSED_OVER;
    if (kind === 'connect') return { receivedMs, message: carriers.has(connection) ? { type: 'reconnected' } : IGNORED };
    if (kind === 'send') return { receivedMs, message: IGNORED };
    const frame = parseObject(line)?.['data'];
    const message = typeof frame === 'string' ? parseFrame(frame, venueInstrument, bookLevels) : rejected('broken_json');
    if (message.type !== 'ignored' && message.type !== 'rejected') carriers.add(connection);
    return { receivedMs, message };
  };
}

/** Each data connection must be known as linear, or be the only one with an instrument. */
function check(files: readonly PeekedFile[]): void {
  for (const file of files) checkSeconds(file, (line) => recordOf(line)?.seconds || undefined);
  const connections = new BybitConnections();
  const carriers = new Map<string, Map<string, string>>();
  let foreign: string | undefined;
  let isAnyLinear = false;
  for (const { name: file, head, headNumbers } of files) {
    for (const [index, line] of head.entries()) {
      const isLinear = isOfLinear(line, connections);
      const { kind, connection = '' } = recordOf(line) ?? {};
      const instrument = kind === 'recv' ? frameInstrument(line) : undefined;
      if (instrument === undefined) continue;
      const place = `${file}:${headNumbers[index]}`;
      if (!isLinear) {
        foreign ??= `${place}: connection ${connection} belongs to Bybit ${connections.marketOf(connection)}`;
        continue;
      }
      isAnyLinear = true;
      const known = carriers.get(instrument) ?? new Map<string, string>();
      carriers.set(instrument, known.has(connection) ? known : known.set(connection, place));
    }
  }
  if (!isAnyLinear && foreign !== undefined)
    throw new RecordingError(`${foreign}; only linear perpetuals are supported: record wss://stream.bybit.com/v5/public/linear`);
  for (const [instrument, known] of carriers) {
    const undescribed = [...known].find(([connection]) => connections.marketOf(connection) === undefined);
    if (known.size > 1 && undescribed !== undefined)
      throw new RecordingError(
        `${undescribed[1]}: connections ${[...known.keys()].join(' and ')} both carry ${instrument}, and no connect line says whether ${undescribed[0]} ` +
          'is linear or spot: keep the connect lines, or the lines of only one connection',
      );
  }
}

export const bybitLines: LineFormat<NumberedMessage> = {
  id: 'bybit',
  title: 'Bybit v5 public linear: connection records with the local time in seconds and the frame as a string',
  example: '{"t":"recv","conn":"BYBIT.ws.2","ts":1786310819.72,"data":"{\\"topic\\":\\"orderbook.200.BTCUSDT\\",…}"}',
  matches(line) {
    const { connection, exchange = EXCHANGE } = recordOf(line) ?? {};
    return connection !== undefined && exchange === EXCHANGE && !OTHER_EXCHANGE.test(connection);
  },
  instrumentsOf(line) {
    const name = frameInstrument(line);
    return name === undefined ? [] : [name];
  },
  instrumentsIn(head) {
    const connections = new BybitConnections();
    return head.flatMap((line) => (isOfLinear(line, connections) ? bybitLines.instrumentsOf(line) : []));
  },
  check,
  venue: 'bybit',
  parseName: bybitName,
  factsOf: (symbol, name, head) => bybitInstrument(symbol, name, channelsOf(head, name)),
  readerOf,
  exchangeTimesOf,
  normalizerOf: (place, log) => new NumberedNormalizer(place, log),
};
