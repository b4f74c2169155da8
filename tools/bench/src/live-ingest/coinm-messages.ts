import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { workspaceRoot } from '@market-state/launcher';
import { bundledFiles, instrumentRows, readRecordingLine, recordingLines } from '@market-state/market-data';
import type { LiveMessage, LiveMessages } from './messages';

const SYMBOL = 'BTCUSD-PERP';
const SECOND_MS = 1_000;
const OPEN_INTEREST_EVERY_MS = 10_000;
const LIQUIDATION_EVERY_MS = 20_000;

/**
 * The bundled recording without the stream that the adapter does not subscribe to, and with those that the recorder did not: context every
 * second, and liquidations now and then, at the recorded times.
 */
export function coinmMessages(): LiveMessages {
  const instrument = instrumentRows.find(({ feed, symbol }) => feed === 'binance' && symbol === SYMBOL);
  if (instrument === undefined) throw new Error(`No live instrument ${SYMBOL} is known.`);
  const folder = join(workspaceRoot(), 'libs', 'domain', 'market-data', 'recordings', 'binance-coinm');
  const messages: LiveMessage[] = [];
  let secondMs = 0;
  for (const file of bundledFiles[SYMBOL] ?? []) {
    for (const line of recordingLines(gunzipSync(readFileSync(join(folder, file))))) {
      const read = readRecordingLine(line);
      if (read === undefined || line.includes('@bookTicker"')) continue;
      const atMs = Math.floor(read.receivedMs / SECOND_MS) * SECOND_MS;
      if (atMs > secondMs) messages.push(...besides(atMs));
      secondMs = Math.max(secondMs, atMs);
      messages.push({ receivedMs: read.receivedMs, line });
    }
  }
  return { name: 'Binance COIN-M, recorded', instrument, messages };
}

/** In the venue's own form. */
function besides(atMs: number): LiveMessage[] {
  const price = (61_000 + ((atMs / SECOND_MS) % 100)).toFixed(8);
  const streams: Record<string, object> = {
    'markPrice@1s': { e: 'markPriceUpdate', E: atMs, s: 'BTCUSD_PERP', p: price, P: price, i: price, r: '0.00010000', T: atMs + 3_600_000 },
    ticker: {
      e: '24hrTicker',
      E: atMs,
      s: 'BTCUSD_PERP',
      ps: 'BTCUSD',
      p: '-10.1',
      P: '-0.016',
      w: '0.00161',
      c: price,
      Q: '3',
      o: price,
      h: price,
      l: price,
      v: '15004123',
      q: '24321.56',
      O: atMs - 86_400_000,
      C: atMs,
      F: 1,
      L: 9,
      n: 9,
    },
  };
  if (atMs % OPEN_INTEREST_EVERY_MS === 0)
    streams['openInterest'] = { symbol: 'BTCUSD_PERP', pair: 'BTCUSD', openInterest: '15004', contractType: 'PERPETUAL', time: atMs };
  if (atMs % LIQUIDATION_EVERY_MS === 0)
    streams['forceOrder'] = {
      e: 'forceOrder',
      E: atMs,
      o: {
        s: 'BTCUSD_PERP',
        ps: 'BTCUSD',
        S: 'SELL',
        o: 'LIMIT',
        f: 'IOC',
        q: '4',
        p: price,
        ap: price,
        X: 'FILLED',
        l: '1',
        z: '4',
        T: atMs,
      },
    };
  return Object.entries(streams).map(([stream, data]) => ({
    receivedMs: atMs,
    line: `${atMs}000000 ${JSON.stringify({ stream: `btcusd_perp@${stream}`, data })}`,
  }));
}
