import type { BinanceMessage } from '../binance/message';
import { BinanceNormalizer } from '../binance/normalizer';
import { parseMessage } from '../binance/parse-message';
import { coinmName, usdmInstrument, usdmName } from '../binance/venue';
import { CHANNELS, type Channel } from '../event';
import { IGNORED } from '../rejections';
import { type InstrumentRow, type PlayedInstrument, UnknownSymbolError } from '../played-instrument';
import { readRecordingLine, recordedObject } from '../recording-line';
import type { LineFormat, LineReader } from './line-format';
import { checkNanoseconds } from './receive-times';
import { withoutForeignSnapshots } from './unnamed-snapshots';
import { isObject } from '../json';
import type { PeekedFile } from './peeked-file';
import { RecordingError } from './recording-notes';

const RECORD = 'record perpetuals from wss://fstream.binance.com (USD-M) or wss://dstream.binance.com (COIN-M)';
const MAYBE_SPOT = /"(?:depthUpdate|M|lastUpdateId)"/;
const BEST_LEVELS = /@depth(?:5|10|20)/;

/**
 * Spot shares stream names with USD-M but has other messages.
 * @throws RecordingError naming the first spot line
 */
function checkNotSpot(files: readonly PeekedFile[]): void {
  for (const { name, head, headNumbers } of files) {
    for (const [index, line] of head.entries()) {
      const sign = signOfSpot(line);
      if (sign !== undefined)
        throw new RecordingError(`${name}:${headNumbers[index]}: this is Binance spot (${sign}), which is not supported: ${RECORD}`);
    }
  }
}

/** Spot-only features: depth without `pu` and `T`, trades with `M`, partial books without a time. */
function signOfSpot(line: string): string | undefined {
  if (!MAYBE_SPOT.test(line) || line.includes('"pu"')) return undefined;
  const { stream, data } = recordedObject(line) ?? {};
  if (!isObject(data)) return undefined;
  if (data['e'] === 'depthUpdate') return 'a depth update without pu';
  if (data['e'] === 'trade' || data['e'] === 'aggTrade') return 'M' in data ? 'a trade with M' : undefined;
  return 'lastUpdateId' in data && typeof stream === 'string' && BEST_LEVELS.test(stream) ? 'a partial book without a time' : undefined;
}

/** The venue's field order, which also matches truncated lines. Anything else is parsed. */
const STREAM = /^[0-9]{16,20}\s+\{\s*"stream"\s*:\s*"([^"@\\]{1,60})@[^"\\]{1,60}"/;

function instrumentOfLine(line: string): string | 'none' | undefined {
  const name = STREAM.exec(line)?.[1];
  if (name !== undefined) return name.toUpperCase();
  const { stream, lastUpdateId, symbol } = recordedObject(line) ?? {};
  if (typeof stream === 'string' && stream.indexOf('@') > 0) return stream.slice(0, stream.indexOf('@')).toUpperCase();
  if (lastUpdateId === undefined) return undefined;
  return typeof symbol === 'string' ? symbol : 'none';
}

function namesOf(line: string): readonly string[] {
  const name = instrumentOfLine(line);
  return name === undefined || name === 'none' ? [] : [name];
}

/** Book and trade always; others if received, or subscribed but silent (`<instrument>@subscribed`). */
function channelsOf(head: readonly string[], venueInstrument: string): readonly Channel[] {
  const streams = head.filter((line) => namesOf(line)[0] === venueInstrument);
  const has = (name: string): boolean => streams.some((line) => line.includes(name));
  return CHANNELS.filter(
    (channel) =>
      channel === 'book' ||
      channel === 'trade' ||
      (channel === 'context' && has('markPrice')) ||
      (channel === 'liquidation' && has('forceOrder')),
  );
}

const AGGREGATE = '@aggTrade"';

/** With the `trade` stream, aggregate trades are redundant. */
function hasTrades(head: readonly string[], venueInstrument: string): boolean {
  const stream = `"${venueInstrument.toLowerCase()}@trade"`;
  return head.some((line) => line.includes(stream));
}

function readerOf(market: 'coinm' | 'usdm') {
  return (name: string, head: readonly string[] = []): LineReader<BinanceMessage> => {
    const skipsAggregates = hasTrades(head, name);
    return (line) => {
      const read = readRecordingLine(line);
      if (read === undefined) return undefined;
      const message = parseMessage(read.text, read.messageStart, name, market);
      const isRepeat = skipsAggregates && message.type === 'trade' && line.includes(AGGREGATE);
      return { receivedMs: read.receivedMs, message: isRepeat ? IGNORED : message };
    };
  };
}

function remarksOn(head: readonly string[], venueInstrument: string): readonly string[] {
  const isAggregate = !hasTrades(head, venueInstrument) && head.some((line) => line.includes(AGGREGATE));
  const stream = `"${venueInstrument.toLowerCase()}@`;
  const has = (...names: readonly string[]): boolean => head.some((line) => names.some((name) => line.includes(`${stream}${name}`)));
  return [
    ...(isAggregate
      ? [
          'trades are aggregate trades (aggTrade): fills of one order at one price count as one trade, so there are fewer and larger ' +
            'trades than in the trade stream',
        ]
      : []),
    ...(has('markPrice') && !has('fundingInfo', 'lastFunding')
      ? [
          'none of the first lines states the funding interval: until a message does, the funding rate is ' +
            'per payment, as sent, and the hourly rate is unknown',
        ]
      : []),
  ];
}

export const binanceCoinmLines: LineFormat<BinanceMessage> = {
  id: 'binance-coinm',
  title: 'Binance COIN-M futures: receive time in nanoseconds, then the combined-stream envelope or a REST depth snapshot',
  example: '1723161256172216566 {"stream":"btcusd_perp@depth@0ms","data":{"e":"depthUpdate","E":1723161257440,…}}',
  matches: (line) => instrumentOfLine(line)?.includes('_') === true,
  instrumentsOf: namesOf,
  venue: 'binance-coinm',
  parseName: coinmName,
  symbolsOf: (name, rows) => coinmRows(name, rows).map(({ symbol }) => symbol),
  unplayable: describeCoinm,
  factsOf: (symbol, name, head, rows) => ({ ...coinmFacts(symbol, name, rows), channels: channelsOf(head, name) }),
  readerOf: readerOf('coinm'),
  remarksOn,
  check: checkNanoseconds,
  exchangeTimesOf,
  normalizerOf: (place, log) => new BinanceNormalizer(place, log),
};

function describeCoinm(names: readonly string[]): string | undefined {
  const perpetual = names.find((name) => name.endsWith('USD_PERP'));
  if (perpetual === undefined) return undefined;
  const symbol = `${perpetual.slice(0, -'USD_PERP'.length)}USD-PERP`;
  return (
    `no message states the US dollar value of a ${perpetual} contract; pass it, as in --instrument ` +
    `symbol=${symbol},venue=binance-coinm,venue_instrument=${perpetual},contract_value=10 (Binance lists 10 for most coins, 100 for BTC)`
  );
}

function coinmRows(name: string, rows: readonly InstrumentRow[]): readonly PlayedInstrument[] {
  return rows.filter(({ venue, venueInstrument }) => venue === 'binance-coinm' && venueInstrument === name);
}

function coinmFacts(symbol: string, name: string, rows: readonly InstrumentRow[]): PlayedInstrument {
  const row = coinmRows(name, rows).find((each) => each.symbol === symbol);
  if (row === undefined) throw new UnknownSymbolError(`the instrument table has no contract value for ${symbol}`);
  return row;
}

export const binanceUsdmLines: LineFormat<BinanceMessage> = {
  id: 'binance-usdm',
  title: 'Binance USD-M futures: receive time in nanoseconds, then the combined-stream envelope or a REST depth snapshot',
  example: '1723161255030314667 {"stream":"btcusdt@depth@0ms","data":{"e":"depthUpdate","E":1723161256299,…}}',
  matches: (line) => instrumentOfLine(line)?.includes('_') === false,
  instrumentsOf: namesOf,
  venue: 'binance-usdm',
  parseName: usdmName,
  factsOf: (symbol, name, head) => usdmInstrument(symbol, name, channelsOf(head, name)),
  readerOf: readerOf('usdm'),
  remarksOn,
  linesOf: withoutForeignSnapshots,
  check(files) {
    checkNanoseconds(files);
    checkNotSpot(files);
  },
  exchangeTimesOf,
  normalizerOf: (place, log) => new BinanceNormalizer(place, log),
};

function exchangeTimesOf(message: BinanceMessage): readonly number[] {
  return message.type === 'depth' || message.type === 'trade' || message.type === 'snapshot' ? [message.timeMs] : [];
}
