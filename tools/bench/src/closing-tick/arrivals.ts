import { get } from 'node:http';
import type { EventLog } from '@market-state/event-log';
import { decodeEvent, WINDOW_MS } from '@market-state/market-data';
import { CLOSING_LAG_MS } from './ten-symbols';

/** Told of a window's end and of the moment something of it arrived here, `performance.now()`. */
export type OnArrival = (windowEndMs: number, atMs: number) => void;

/** Tells of every tick that closes a window as it enters a symbol's log, until the signal aborts. */
export async function watchClosingTicks(log: EventLog, symbol: string, onTick: OnArrival, signal: AbortSignal): Promise<void> {
  const last = await log.lastId(symbol);
  for await (const batch of log.follow(symbol, last ?? { epoch: 0, ordinal: 0 }, signal)) {
    const atMs = performance.now();
    for (const { payload } of batch) {
      const event = decodeEvent(payload);
      const windowEndMs = event.kind === 'tick' ? event.feedClockMs - CLOSING_LAG_MS : NaN;
      if (windowEndMs % WINDOW_MS === 0) onTick(windowEndMs, atMs);
    }
  }
}

const PACKET = /^event: ?packet$/m;
const PLACE = /^id: ?\d+-\d+-(\d+)$/m;

/**
 * Reads a symbol's stream of packets from the gateway, telling of each packet when the last byte of it is there, until the signal
 * aborts. @throws Error when the gateway refuses the stream or ends it
 */
export async function watchPackets(url: string, key: string, symbol: string, onPacket: OnArrival, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error): void => (signal.aborted ? resolve() : reject(error));
    const request = get(
      `${url}/api/public/market-state/stream?symbol=${symbol}`,
      { headers: { 'x-market-state-api-key': key }, signal, agent: false },
      (response) => {
        if (response.statusCode !== 200) return failed(new Error(`The stream of ${symbol} was refused: ${response.statusCode}.`));
        let waiting = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          const atMs = performance.now();
          const messages = (waiting + text).split('\n\n');
          waiting = messages.pop() ?? '';
          for (const message of messages) if (PACKET.test(message)) onPacket(Number(PLACE.exec(message)?.[1]), atMs);
        });
        response.on('end', () => failed(new Error(`The stream of ${symbol} ended.`)));
        response.on('error', failed);
      },
    );
    request.on('error', failed);
  });
}
