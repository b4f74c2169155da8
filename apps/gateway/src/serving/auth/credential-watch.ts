import type { account } from '@market-state/contracts';
import { followStream, type GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';

/** No remembered grant is trusted when nothing was heard of changes for so long, whether their stream is silent or broken. */
const WATCH_SILENCE_MS = 3_000;

/** What is no longer what it was. Digests are hex; `all` means that any grant given before may not count. */
export type CredentialChange =
  | { readonly kind: 'key' | 'session'; readonly digestHex: string }
  | { readonly kind: 'tenant'; readonly tenantId: string }
  | { readonly kind: 'all' };

export interface CredentialWatch {
  /** Whether changes were heard of a moment ago: then what is remembered is trusted. */
  isWatching(): boolean;
  /** Grows with every change: a grant that was asked for before the newest change must not be remembered. */
  generation(): number;
  /** Calls back at each change. Gives the way to stop it. */
  onChange(listener: (change: CredentialChange) => void): () => void;
  close(): Promise<void>;
}

export interface CredentialWatchDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly logger: Logger;
  /** A clock that never goes backwards, milliseconds. */
  readonly monotonicMs: () => number;
}

type WatchMessage = account.WatchKeysResponse['message'];

function changeOf(message: WatchMessage): CredentialChange | null {
  switch (message?.$case) {
    case 'changed':
      return { kind: 'key', digestHex: message.value.keyDigest.toString('hex') };
    case 'sessionEnded':
      return { kind: 'session', digestHex: message.value.sessionDigest.toString('hex') };
    case 'tenantChanged':
      return { kind: 'tenant', tenantId: message.value.tenantId };
    default:
      return null;
  }
}

/** Hears from account, within a second, which keys, sessions and tenants are no longer what they were. */
export function watchCredentials({ keys, logger, monotonicMs }: CredentialWatchDeps): CredentialWatch {
  const listeners = new Set<(change: CredentialChange) => void>();
  let heardMs = Number.NEGATIVE_INFINITY;
  let generation = 0;

  function tell(change: CredentialChange): void {
    generation += 1;
    for (const listener of listeners) listener(change);
  }

  const stream = followStream<account.WatchKeysResponse>({
    open: (signal) => keys.call.watchKeys({}, { signal, idleLimitMs: WATCH_SILENCE_MS }),
    // What changed while there was no stream is told by none.
    onUp: () => tell({ kind: 'all' }),
    onDown: (error) => logger.warn({ reason: error.reason, detail: error.detail }, 'changes of credentials are not heard'),
    onMessage: ({ message }) => {
      heardMs = monotonicMs();
      const change = changeOf(message);
      if (change === null) return;
      tell(change);
      if (message?.$case === 'changed') logger.info({ key_id: message.value.keyId }, 'key changed');
      if (change.kind === 'tenant') logger.info({ tenant_id: change.tenantId }, 'tenant changed');
    },
  });

  return {
    isWatching: () => monotonicMs() - heardMs <= WATCH_SILENCE_MS,
    generation: () => generation,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => stream.close(),
  };
}
