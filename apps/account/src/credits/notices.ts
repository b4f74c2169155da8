import { backoffMs, type Closable, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { Client } from 'pg';

/** The channel on which every process hears of recalls and of credits that came free. */
export const NOTICE_CHANNEL = 'credit_notice';
const CONNECT_LIMIT_MS = 1_500;

/** What happened: leases of a gateway were recalled, or recalled credits of a tenant came free. */
export type Notice = `recall ${string}` | `freed ${string}`;

/** Hears notices of any process of the service. One may be missed while the connection is lost: who waits looks again after a while. */
export interface Notices extends Closable {
  /** Resolves at the next notice of that kind, or when `signal` aborts; the notice counts from the call on. */
  next(notice: Notice, signal: AbortSignal): Promise<void>;
}

/** Listens until closed, connecting again with backoff whenever the connection is lost. */
export function createNotices(databaseUrl: string, logger: Logger): Notices {
  const stop = new AbortController();
  const waiting = new Map<string, Set<() => void>>();

  async function listenOnce(): Promise<void> {
    const client = new Client({ connectionString: databaseUrl, application_name: 'account credit notices', connectionTimeoutMillis: CONNECT_LIMIT_MS, keepAlive: true });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    const endClient = (): void => void client.end().catch(() => undefined);
    stop.signal.addEventListener('abort', endClient);
    client.on('error', (error) => logger.warn({ err: error }, 'the connection for credit notices failed'));
    client.on('notification', ({ payload }) => waiting.get(payload ?? '')?.forEach((wake) => wake()));
    try {
      await client.connect();
      await client.query(`LISTEN ${NOTICE_CHANNEL}`);
      await ended;
    } finally {
      stop.signal.removeEventListener('abort', endClient);
      await client.end().catch(() => undefined);
    }
  }

  async function listenUntilClosed(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted; failures += 1) {
      await listenOnce().then(
        () => (failures = 0),
        (error: unknown) => logger.warn({ err: error }, 'cannot listen for credit notices yet'),
      );
      await delay(backoffMs(failures, { minMs: 50, maxMs: 1_000 }), stop.signal).catch(() => undefined);
    }
  }

  const running = listenUntilClosed();
  return {
    next(notice, signal) {
      return new Promise((resolve) => {
        const wakes = waiting.get(notice) ?? new Set();
        waiting.set(notice, wakes);
        const wake = (): void => {
          wakes.delete(wake);
          if (wakes.size === 0 && waiting.get(notice) === wakes) waiting.delete(notice);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        wakes.add(wake);
        signal.addEventListener('abort', wake, { once: true });
        if (signal.aborted) wake();
      });
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}
