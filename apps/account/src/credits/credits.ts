import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { Closable } from '@market-state/lifecycle';
import { createListener } from '@market-state/postgres';
import { type Notice, NOTICE_CHANNEL } from '../store/outbox';

/** Hears notices of any process of the service. One may be missed while the connection is lost: who waits looks again after a while. */
interface Notices extends Closable {
  /** Resolves at the next notice of that kind, or when `signal` aborts; the notice counts from the call on. */
  next(notice: Notice, signal: AbortSignal): Promise<void>;
}

/** Listens until closed. */
export function createNotices(databaseUrl: string, logger: Logger): Notices {
  const waiting = new Map<string, Set<() => void>>();
  const listener = createListener({
    url: databaseUrl,
    logger,
    applicationName: 'account credit notices',
    channels: [NOTICE_CHANNEL],
    onNotification: (_channel, notice) => waiting.get(notice)?.forEach((wake) => wake()),
  });
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
    close: () => listener.close(),
  };
}

/** What everything that works on credits needs. */
export interface Credits {
  readonly pool: Pool;
  readonly clock: () => number;
  readonly notices: Notices;
  readonly logger: Logger;
}
