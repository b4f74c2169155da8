import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { Client } from 'pg';
import type { WatchMessage } from '../keys/key-watch';

const CHANNELS = ['api_key_changed', 'session_ended', 'tenant_changed'];

/** An unanswered question on the listening connection means that it is dead. */
const ANSWER_LIMIT_MS = 1_500;

export interface KeyListenerDeps {
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Every change committed from now on will be told. */
  readonly onListening: () => void;
  readonly onChange: (change: WatchMessage) => void;
  /** Changes may be missed from now on. */
  readonly onLost: () => void;
}

/** Hears what the database's triggers tell of keys, sessions and tenants. */
export interface KeyListener {
  /** Resolves when every change committed before the call was told; rejects when there is no connection. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

/** Listens until closed, connecting again with backoff whenever the connection is lost. */
export function createKeyListener(deps: KeyListenerDeps): KeyListener {
  const stop = new AbortController();
  let listening: Client | undefined;

  /** Resolves when the connection ends. */
  async function listenOnce(): Promise<void> {
    const client = new Client({
      connectionString: deps.databaseUrl,
      application_name: 'account key listener',
      connectionTimeoutMillis: ANSWER_LIMIT_MS,
      query_timeout: ANSWER_LIMIT_MS,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    const endClient = (): void => void client.end().catch(() => undefined);
    stop.signal.addEventListener('abort', endClient);
    client.on('error', (error) => deps.logger.warn({ err: error }, 'listening connection failed'));
    client.on('notification', ({ channel, payload }) => {
      const change = readChange(channel, payload ?? '');
      if (change !== null) deps.onChange(change);
    });
    try {
      await client.connect();
      await client.query(CHANNELS.map((channel) => `LISTEN ${channel}`).join(';'));
      listening = client;
      deps.onListening();
      await ended;
    } finally {
      listening = undefined;
      stop.signal.removeEventListener('abort', endClient);
      await client.end().catch(() => undefined);
    }
  }

  async function listenUntilClosed(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted; failures += 1) {
      await listenOnce().then(
        () => (failures = 0),
        (error: unknown) => deps.logger.warn({ err: error }, 'cannot listen for key changes yet'),
      );
      deps.onLost();
      await delay(backoffMs(failures, { minMs: 50, maxMs: 1_000 }), stop.signal).catch(() => undefined);
    }
  }

  async function ask(): Promise<void> {
    const client = listening;
    if (client === undefined) throw new Error('not listening for key changes');
    try {
      await client.query('SELECT 1');
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  const running = listenUntilClosed();
  let asked: Promise<void> = Promise.resolve();

  return {
    catchUp() {
      const answer = asked.then(ask);
      asked = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}

function readChange(channel: string, payload: string): WatchMessage | null {
  switch (channel) {
    case 'session_ended':
      return /^[0-9a-f]{64}$/.test(payload) ? { type: 'session_ended', digest: Buffer.from(payload, 'hex') } : null;
    case 'tenant_changed':
      return { type: 'tenant_changed', tenantId: payload };
    default:
      return readKeyChange(payload);
  }
}

function readKeyChange(payload: string): WatchMessage | null {
  const match = /^([^:]+):([0-9a-f]{64})$/.exec(payload);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  return { type: 'changed', change: { keyId: match[1], digest: Buffer.from(match[2], 'hex') } };
}
