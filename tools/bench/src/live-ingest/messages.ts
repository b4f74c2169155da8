import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { workspaceRoot } from '@market-state/launcher';
import { silentLogger } from '@market-state/logging';
import { type PlayedInstrument, bundledFiles, instrumentRows, readRecordingLine, recordingLines } from '@market-state/market-data';
import { startSimulatedVenue } from '@market-state/simulated-venue';
import { createHyperliquidSource } from '@market-state/venues';

const SEED = 1;
const START_MS = Date.UTC(2026, 0, 5, 12);
const STEP_MS = 250;

export async function simulatedMessages(total: number): Promise<LiveMessages> {
  const instrument = instrumentRows.find(({ feed }) => feed === 'simulated');
  if (instrument === undefined) throw new Error("The simulated venue's instrument is unknown.");
  const logger = silentLogger();
  const venue = await startSimulatedVenue({ address: '127.0.0.1:0', seed: SEED, logger, startMs: START_MS, scenario: 'calm' });
  let nowMs = START_MS;
  const source = createHyperliquidSource({
    wsUrl: venue.wsUrl,
    restUrl: venue.restUrl,
    logger,
    simulated: true,
    clock: { nowMs: () => nowMs },
  });
  const messages: LiveMessage[] = [];
  const stop = new AbortController();
  try {
    const connection = await source.connect(stop.signal);
    const reading = (async () => {
      for await (const batch of connection.messages())
        messages.push(...batch.messages.map(({ receivedMs, receivedNs, text }) => ({ receivedMs, line: `${receivedNs} ${text}` })));
    })();
    let isOpen = true;
    void reading.catch(() => undefined).finally(() => (isOpen = false));
    await connection.subscribe([instrument.venueInstrument]);
    while (isOpen && messages.length < total) {
      nowMs += STEP_MS;
      venue.advanceTo(nowMs);
      await venue.flushed();
    }
    connection.close();
    await reading.catch(() => undefined);
  } finally {
    stop.abort();
    await venue.close();
  }
  return { name: 'Hyperliquid, simulated', instrument, messages: messages.slice(0, total) };
}

const SYMBOL = 'BTCUSD-PERP';
const SECOND_MS = 1_000;
const OPEN_INTEREST_EVERY_MS = 10_000;
const LIQUIDATION_EVERY_MS = 20_000;

/**
 * The bundled recording without a stream that the adapter does not subscribe to, plus those that the recorder lacked:
 * context every second, and occasional liquidations, at the recorded times.
 */
export function coinmMessages(): LiveMessages {
  const instrument = instrumentRows.find(({ feed, symbol }) => feed === 'binance' && symbol === SYMBOL);
  if (instrument === undefined) throw new Error(`Unknown live instrument ${SYMBOL}.`);
  const folder = join(workspaceRoot(), 'libs', 'domain', 'market-data', 'recordings', 'binance-coinm');
  const messages: LiveMessage[] = [];
  let secondMs = 0;
  for (const file of bundledFiles[SYMBOL] ?? []) {
    for (const line of recordingLines(gunzipSync(readFileSync(join(folder, file))))) {
      const read = readRecordingLine(line);
      if (read === undefined || line.includes('@bookTicker"')) continue;
      const atMs = Math.floor(read.receivedMs / SECOND_MS) * SECOND_MS;
      if (atMs > secondMs) messages.push(...others(atMs));
      secondMs = Math.max(secondMs, atMs);
      messages.push({ receivedMs: read.receivedMs, line });
    }
  }
  return { name: 'Binance COIN-M, recorded', instrument, messages };
}

function others(atMs: number): LiveMessage[] {
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

interface LiveMessage {
  readonly receivedMs: number;
  /** `<receive time, ns> <message>`. */
  readonly line: string;
}

export interface LiveMessages {
  readonly name: string;
  readonly instrument: PlayedInstrument;
  readonly messages: readonly LiveMessage[];
}

/** Number of messages by kind, descending: `l2Book 512, trades 80`. */
export function mixOf(messages: readonly LiveMessage[]): string {
  const counts = new Map<string, number>();
  for (const { line } of messages) {
    const kind = /"channel":"(\w+)"|"stream":"[a-z0-9_]+@(\w+)/.exec(line.slice(0, 200));
    const name = kind?.[1] ?? kind?.[2] ?? 'answers';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
