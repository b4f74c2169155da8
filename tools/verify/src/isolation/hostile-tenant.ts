import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Closer } from '@market-state/lifecycle';
import { atOnce, callOnce, shuffle, statusesOf, type Tenant } from '@market-state/testing';
import { openStream } from '../attacks/event-stream';
import { FROM, type OddRequest, sendOdd } from './odd-requests';

const MARKET_STATE = '/api/public/market-state';
const JOBS = '/api/public/data/export/jobs';
const STREAMS = ['/api/public/data/stream?channels=trades', `${MARKET_STATE}/stream`];
const ORDERS_AT_ONCE = 30;
const READS_AT_ONCE = 60;
const LOGINS_AT_ONCE = 40;
const STREAMS_AT_ONCE = 20;
const PAUSE_MS = 500;

/** Answers to each kind of attack, counted by status. */
export type Deeds = Readonly<Record<string, Record<number, number>>>;

export interface HostileTenant {
  /** Stops every attack. @returns the answers */
  stop(): Promise<Deeds>;
}

/** Starts every attack at once: odd texts, rejected orders, floods, unread streams, hanging endpoints, logins. */
export async function startHostileTenant(
  closer: Closer,
  { url, tenant, odd, random }: { url: string; tenant: Tenant; odd: readonly OddRequest[]; random: () => number },
): Promise<HostileTenant> {
  const { key } = tenant;
  const deeds: Record<string, Record<number, number>> = {};
  const ending = new AbortController();
  const hangUrl = await openHanging(closer);

  function count(deed: string, answers: readonly ({ readonly status: number } | null)[]): void {
    const counts = (deeds[deed] ??= {});
    for (const [status, total] of Object.entries(statusesOf(answers))) counts[Number(status)] = (counts[Number(status)] ?? 0) + total;
  }

  async function repeat(deed: string, doOnce: () => Promise<readonly ({ readonly status: number } | null)[]>): Promise<void> {
    while (!ending.signal.aborted) {
      count(deed, await doOnce());
      await delay(PAUSE_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  }

  let left: OddRequest[] = [];
  async function sendOddTexts(): Promise<void> {
    while (!ending.signal.aborted) {
      if (left.length === 0) left = shuffle(odd, random);
      count('odd texts', [await sendOdd(url, key, left.pop() as OddRequest)]);
    }
  }

  let logins = 0;
  const running = [
    ...Array.from({ length: 3 }, sendOddTexts),
    repeat('orders', () =>
      atOnce(ORDERS_AT_ONCE, () =>
        callOnce(`${url}${JOBS}`, {
          key,
          method: 'POST',
          body: { dataset: 'book', symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'], format: 'csv' },
        }),
      ),
    ),
    repeat('reads', () =>
      atOnce(READS_AT_ONCE, () => callOnce(`${url}${MARKET_STATE}/replay?symbol=BTCUSD-PERP&limit=500`, { key, from: FROM })),
    ),
    repeat('streams', async () => {
      const streams = await atOnce(STREAMS_AT_ONCE, (at) =>
        openStream(closer, `${url}${STREAMS[at % STREAMS.length]}`, { key, from: FROM, isSlow: true }),
      );
      for (const stream of streams.slice(STREAMS_AT_ONCE / 2)) stream.close();
      return streams;
    }),
    repeat('logins', () =>
      atOnce(LOGINS_AT_ONCE, (at) => {
        logins += 1;
        const body = { email: `somebody-${logins}@example.org`, password: 'not the one' };
        const from = `127.0.${4 + Math.floor(logins / 250)}.${1 + (at % 250)}`;
        return callOnce(`${url}${MARKET_STATE}/account/auth/login`, { method: 'POST', body, from, headers: { origin: url } });
      }),
    ),
    repeat('hanging endpoints', async () => {
      const made = await callOnce(`${url}${MARKET_STATE}/webhooks`, {
        key,
        from: FROM,
        method: 'POST',
        body: { url: hangUrl, event_kinds: ['packet.created'] },
      });
      const id = /"webhook_id":"([^"]+)"/.exec(made?.text ?? '')?.[1] ?? 'none';
      const tests = await atOnce(10, () =>
        callOnce(`${url}${MARKET_STATE}/webhooks/${id}/test`, { key, from: FROM, method: 'POST', body: {} }),
      );
      return [made, ...tests, await callOnce(`${url}${MARKET_STATE}/webhooks/${id}`, { key, from: FROM, method: 'DELETE' })];
    }),
  ];
  return {
    async stop() {
      ending.abort();
      await Promise.all(running);
      return deeds;
    },
  };
}

/** Opens a server that accepts connections and never answers, not even a TLS handshake. */
async function openHanging(closer: Closer): Promise<string> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  closer.add('hanging endpoint', () => void server.close());
  await once(server, 'listening');
  return `https://localhost:${(server.address() as AddressInfo).port}/hook`;
}
