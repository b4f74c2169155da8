import type { Channel } from '../event';
import type { Json } from '../json';
import { streamLines } from '../numbered/stream-lines';
import { type BybitMarket, bybitInstrument, bybitInverseName, bybitName, isInverseName } from './instrument';
import { parseFrame } from './message';

const CHANNEL_OF: Readonly<Record<string, Channel>> = {
  orderbook: 'book',
  publicTrade: 'trade',
  recentTrades: 'trade',
  tickers: 'context',
  allLiquidation: 'liquidation',
};

const HEAD = 160;
const TOPIC = /^[0-9]{16,20}\s+\{\s*"topic"\s*:\s*"[A-Za-z0-9.]{1,30}\.([^.\\"]{1,40})"/;

function topicOf({ topic }: Json): readonly [kind: string, name: string] | undefined {
  if (typeof topic !== 'string' || !topic.includes('.')) return undefined;
  return [topic.slice(0, topic.indexOf('.')), topic.slice(topic.lastIndexOf('.') + 1)];
}

function linesOf(market: BybitMarket) {
  const isInverse = market === 'inverse';
  return streamLines({
    id: isInverse ? 'bybit-inverse-ws' : 'bybit-ws',
    title: `Bybit v5 public ${market} frames: receive time in nanoseconds, then the frame`,
    example: `1786310819720000000 {"topic":"orderbook.200.${isInverse ? 'BTCUSD' : 'BTCUSDT'}","type":"delta","ts":1786310818130,…}`,
    venue: isInverse ? 'bybit-inverse' : 'bybit',
    parseName: isInverse ? bybitInverseName : bybitName,
    namedAtHead(line) {
      const name = TOPIC.exec(line.slice(0, HEAD))?.[1];
      return name === undefined || isInverseName(name) !== isInverse ? undefined : name;
    },
    namesOf(frame) {
      const name = topicOf(frame)?.[1];
      return name === undefined || isInverseName(name) !== isInverse ? undefined : [name];
    },
    channelOf: (frame) => CHANNEL_OF[topicOf(frame)?.[0] ?? ''],
    parse: parseFrame,
    factsOf: (symbol, name, channels) => bybitInstrument(symbol, name, channels, market),
  });
}

export const bybitStreamLines = linesOf('linear');
export const bybitInverseStreamLines = linesOf('inverse');
