import { backoffMs, type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { Client } from 'pg';

/** Time limit for opening the connection, and for every query on it, milliseconds: then it counts as dead. */
const ANSWER_LIMIT_MS = 1_500;

export interface ListenerOptions {
  readonly url: string;
  readonly logger: Logger;
  /** Shown in the server's list of sessions. */
  readonly applicationName: string;
  /** Names of the channels, as SQL takes them unquoted. */
  readonly channels: readonly string[];
  readonly onNotification: (channel: string, payload: string) => void;
  /** Called when every notification of later commits will be received. */
  readonly onListening?: () => void;
  /** Called when notifications may be missed from now on, also after a failed try to connect. */
  readonly onLost?: () => void;
}

/** Receives notifications on channels of the database, on a connection of its own. */
export interface Listener extends Closable {
  /** Resolves when all notifications sent before the call were received; rejects when there is no connection. */
  catchUp(): Promise<void>;
}

/** Listens until closed, connecting again with backoff whenever the connection is lost. */
export function createListener(options: ListenerOptions): Listener {
  const { logger, applicationName } = options;
  let listening: Client | undefined;

  /** Resolves when the connection ends. */
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
    client.on('error', (error) => logger.warn({ err: error, listener: applicationName }, 'a listening connection failed'));
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
        (error: unknown) => logger.warn({ err: error, listener: applicationName }, 'cannot listen to the database yet'),
      );
      options.onLost?.();
      await delay(backoffMs(failures, { minMs: 50, maxMs: 1_000 }), signal).catch(() => undefined);
    }
  }

  async function ask(): Promise<void> {
    const client = listening;
    if (client === undefined) throw new Error('not listening to the database');
    try {
      await client.query('SELECT 1');
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  const work = runUntilClosed(listenOn);
  let asked: Promise<void> = Promise.resolve();

  return {
    catchUp() {
      const answer = asked.then(ask);
      asked = answer.catch(() => undefined);
      return answer;
    },
    close: () => work.close(),
  };
}
