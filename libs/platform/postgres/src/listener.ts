import { backoffMs, type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { Client } from 'pg';

/** After it, the connection counts as dead. */
const ANSWER_LIMIT_MS = 1_500;

export interface ListenerOptions {
  readonly url: string;
  readonly logger: Logger;
  readonly applicationName: string;
  /** Channel names, valid as unquoted SQL identifiers. */
  readonly channels: readonly string[];
  readonly onNotification: (channel: string, payload: string) => void;
  /** Called once notifications of all later commits will be received. */
  readonly onListening?: () => void;
  /** Called when notifications may be missed from now on, also after a failed connection attempt. */
  readonly onLost?: () => void;
}

export interface Listener extends Closable {
  /** Resolves once all notifications sent before the call were received; rejects without a connection. */
  catchUp(): Promise<void>;
}

/** Reconnects with backoff until closed. */
export function createListener(options: ListenerOptions): Listener {
  const { logger, applicationName } = options;
  let listening: Client | undefined;

  async function listenOnce(signal: AbortSignal): Promise<void> {
    const client = new Client({
      connectionString: options.url,
      application_name: applicationName,
      connectionTimeoutMillis: ANSWER_LIMIT_MS,
      query_timeout: ANSWER_LIMIT_MS,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    const endClient = (): void => void client.end().catch(() => undefined);
    signal.addEventListener('abort', endClient);
    client.on('error', (error) => logger.warn({ err: error, listener: applicationName }, 'listening connection failed'));
    client.on('notification', ({ channel, payload }) => options.onNotification(channel, payload ?? ''));
    try {
      await client.connect();
      await client.query(options.channels.map((channel) => `LISTEN ${channel}`).join(';'));
      listening = client;
      options.onListening?.();
      await ended;
    } finally {
      listening = undefined;
      signal.removeEventListener('abort', endClient);
      await client.end().catch(() => undefined);
    }
  }

  async function listenOn(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      await listenOnce(signal).then(
        () => (failures = 0),
        (error: unknown) => logger.warn({ err: error, listener: applicationName }, 'listening to the database failed; will retry'),
      );
      options.onLost?.();
      await delay(backoffMs(failures, { minMs: 50, maxMs: 1_000 }), signal).catch(() => undefined);
    }
  }

  async function ask(): Promise<void> {
    const client = listening;
    if (client === undefined) throw new Error('lost the listening connection to the database');
    try {
      await client.query('SELECT 1');
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  const work = runUntilClosed(listenOn);
  let lastAsked: Promise<void> = Promise.resolve();

  return {
    catchUp() {
      const answer = lastAsked.then(ask);
      lastAsked = answer.catch(() => undefined);
      return answer;
    },
    close: () => work.close(),
  };
}
