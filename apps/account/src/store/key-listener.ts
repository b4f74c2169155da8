import type { Logger } from '@market-state/logging';
import { createListener, type Listener } from '@market-state/postgres';
import type { WatchMessage } from '../keys/key-watch';

interface KeyListenerDeps {
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Every change committed from now on is reported. */
  readonly onListening: () => void;
  readonly onChange: (change: WatchMessage) => void;
  /** Changes may be missed from now on. */
  readonly onLost: () => void;
}

/** Listens to the database triggers on keys, sessions and tenants. */
export function createKeyListener({ databaseUrl, logger, onListening, onChange, onLost }: KeyListenerDeps): Listener {
  return createListener({
    url: databaseUrl,
    logger,
    applicationName: 'account key listener',
    channels: ['api_key_changed', 'session_ended', 'tenant_changed'],
    onNotification(channel, payload) {
      const change = readChange(channel, payload);
      if (change !== null) onChange(change);
    },
    onListening,
    onLost,
  });
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
