import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { Closable } from '@market-state/lifecycle';
import { createListener } from '@market-state/postgres';
import { type Notice, NOTICE_CHANNEL } from '../store/outbox';

/** Notifications from any process of the service. They can be missed while disconnected, so waiters also poll. */
interface Notices extends Closable {
  /** Resolves at the next notice after the call, or when `signal` aborts. */
  next(notice: Notice, signal: AbortSignal): Promise<void>;
}

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

export interface Credits {
  readonly pool: Pool;
  readonly clock: () => number;
  readonly notices: Notices;
  readonly logger: Logger;
}
