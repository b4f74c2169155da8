import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Socket } from 'node:net';
import { createRandom, percentile, sumOf } from '@market-state/testing/pure';
import type { LoadOrder, GoodCall, LoadReport } from './start-load';
import { unknownKey } from '../../junk-key';

interface RawConnection {
  /**
   * Sends a request, connecting first if needed. `onAnswer` gets null if the connection broke or nothing arrived for 15
   * s.
   */
  send(request: string, onAnswer: (status: number | null) => void): void;
  close(): void;
}

const HEAD_END = '\r\n\r\n';
const ANSWER_MS_MAX = 15_000;

function openRawConnection(port: number, localAddress: string): RawConnection {
  let socket: Socket | null = null;
  let pending: ((status: number | null) => void) | null = null;
  let received = '';

  function settle(status: number | null): void {
    const done = pending;
    pending = null;
    received = '';
    done?.(status);
  }

  function open(): Socket {
    const made = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    made.setEncoding('latin1');
    made.setTimeout(ANSWER_MS_MAX, () => made.destroy());
    made.on('data', (piece: string) => read(made, piece));
    made.on('error', () => undefined);
    made.on('close', () => {
      if (socket !== made) return;
      socket = null;
      settle(null);
    });
    return made;
  }

  function read(from: Socket, piece: string): void {
    received += piece;
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = received.slice(0, headEnd).toLowerCase();
    if (!isWhole(head, received, headEnd + HEAD_END.length)) return;
    if (head.includes('\r\nconnection: close')) {
      socket = null;
      from.destroy();
    }
    settle(Number(head.slice(9, 12)));
  }

  return {
    send(request, onAnswer) {
      pending = onAnswer;
      socket ??= open();
      socket.write(request, 'latin1');
    },
    close() {
      const open = socket;
      socket = null;
      open?.destroy();
      settle(null);
    },
  };
}

function isWhole(head: string, received: string, bodyStart: number): boolean {
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return received.length >= bodyStart + Number(length);
  return head.includes('\r\ntransfer-encoding: chunked') ? received.endsWith('0\r\n\r\n') : true;
}

const TICK_MS = 4;
/** Limit of calls waiting for a connection, in seconds of load; further calls are not sent. */
const WAITING_SECONDS_MAX = 1;
const DRAIN_MS_MAX = 16_000;

interface Due {
  readonly atMs: number;
  readonly number: number;
}

/** Makes the ordered calls until done or stopped. Call times count from the scheduled moment. */
async function runLoad(order: LoadOrder, stop: AbortSignal): Promise<LoadReport> {
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
  // Used round-robin, so that the gateway drops none as idle.
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

/**
 * A separate program: the first message from its parent is the order, any later one stops it. It imports little so that
 * it starts quickly.
 */
const stop = new AbortController();

process.once('message', (order: LoadOrder) => {
  process.on('message', () => stop.abort());
  runLoad(order, stop.signal)
    .then((report) => process.send?.(report, () => process.disconnect()))
    .catch((error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    });
});
process.once('disconnect', () => process.exit());
