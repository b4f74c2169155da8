import { setTimeout as delay } from 'node:timers/promises';
import { createRandom, percentile, sumOf } from '@market-state/testing/pure';
import { unknownKey } from '../../keys/junk-key';
import type { GoodCall, LoadOrder, LoadReport } from './load-order';
import { openRawConnection } from './raw-connection';

const TICK_MS = 4;
/** Calls that wait for a free connection; one more is not sent at all. */
const WAITING_SECONDS_MAX = 1;
/** Calls under way at the end have so long. */
const DRAIN_MS_MAX = 16_000;

interface Due {
  readonly atMs: number;
  readonly number: number;
}

/** Makes the calls of an order; `stop` ends it early. A call counts from the moment it was due. */
export async function runLoad(order: LoadOrder, stop: AbortSignal): Promise<LoadReport> {
  const port = Number(new URL(order.url).port);
  const keyOf = keySource(order);
  const good: GoodCall[] = [];
  const refused: Record<number, number> = {};
  const refusedMs: number[] = [];
  const waiting: Due[] = [];
  const keysTotal = order.credentials.kind === 'keys' ? order.credentials.keys.length : 1;
  const lostOfKey = Array<number>(keysTotal).fill(0);
  let [due, sent, underWay] = [0, 0, 0];
  const connections = Array.from({ length: order.connections }, (_, at) =>
    openRawConnection(port, order.addresses[at % order.addresses.length] ?? '127.0.0.1'),
  );
  // Taken in turns, so that none is idle for so long that the gateway drops it.
  const free = [...connections];
  const startMs = performance.now();

  function send(connection: (typeof connections)[number], { atMs, number }: Due): void {
    const keyIndex = number % keysTotal;
    const path = order.paths[number % order.paths.length] ?? '/';
    sent += 1;
    underWay += 1;
    connection.send(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nx-market-state-api-key: ${keyOf(keyIndex)}\r\n\r\n`, (status) => {
      underWay -= 1;
      const tookMs = performance.now() - startMs - atMs;
      if (status === null) lostOfKey[keyIndex] = (lostOfKey[keyIndex] ?? 0) + 1;
      else if (status === 200) good.push({ atMs, tookMs, keyIndex });
      else {
        refused[status] = (refused[status] ?? 0) + 1;
        refusedMs.push(tookMs);
      }
      const next = waiting.shift();
      if (next === undefined) free.push(connection);
      else send(connection, next);
    });
  }

  while (!stop.aborted && performance.now() - startMs < order.secondsMax * 1_000) {
    const nowMs = performance.now() - startMs;
    for (const until = Math.floor((nowMs / 1_000) * order.perSecond) + 1; due < until; due += 1) {
      const call = { atMs: nowMs, number: due };
      const connection = free.shift();
      if (connection !== undefined) send(connection, call);
      else if (waiting.length < order.perSecond * WAITING_SECONDS_MAX) waiting.push(call);
    }
    await delay(TICK_MS);
  }
  const durationMs = performance.now() - startMs;
  waiting.length = 0;
  for (const untilMs = performance.now() + DRAIN_MS_MAX; underWay > 0 && performance.now() < untilMs; ) await delay(TICK_MS);
  for (const connection of connections) connection.close();
  return {
    due,
    sent,
    durationMs,
    good,
    refused,
    refusedP99Ms: percentile(refusedMs, 0.99),
    lost: sumOf(lostOfKey),
    lostOfKey,
  };
}

function keySource({ credentials }: LoadOrder): (index: number) => string {
  if (credentials.kind === 'keys') return (index) => credentials.keys[index] ?? '';
  const random = createRandom(credentials.seed);
  return () => unknownKey(random);
}
