import { randomBytes } from 'node:crypto';
import type { Closer } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { createPrismaAdapter } from '@market-state/postgres';
import type { AccountConfig } from './config';
import { PrismaClient } from './generated/prisma/client';
import { createKeyWatch, type KeyWatch } from './keys/key-watch';
import { createLastUsed, type LastUsed } from './keys/last-used';
import { createKeyListener, type KeyListener } from './store/key-listener';
import { createPrismaKeyStore, type KeyStore } from './store/prisma-key-store';

/** Everything the service is made of. */
export interface AccountDeps {
  readonly store: KeyStore;
  readonly watch: KeyWatch;
  readonly listener: KeyListener;
  readonly lastUsed: LastUsed;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly logger: Logger;
}

/** What tests replace. */
export interface AccountOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
}

export interface BuildOptions {
  readonly config: AccountConfig;
  readonly logger: Logger;
  readonly clock: () => number;
}

/** Builds each thing once and registers its end with `closer`. */
export function buildDeps({ config, logger, clock }: BuildOptions, closer: Closer): AccountDeps {
  const prisma = new PrismaClient({ adapter: createPrismaAdapter(config.databaseUrl) });
  closer.add('database', () => prisma.$disconnect());
  const store = createPrismaKeyStore(prisma);

  const lastUsed = createLastUsed({ store, clock, onError: (error) => logger.warn({ err: error }, 'last use of a key not written') });
  closer.add('last uses', () => lastUsed.drain());

  const watch = createKeyWatch();
  const listener = createKeyListener({
    databaseUrl: config.databaseUrl,
    logger,
    onListening: () => watch.begin(),
    onChange: (change) => watch.publish({ type: 'changed', change }),
    onLost: () => watch.lose(),
  });
  closer.add('key listener', () => listener.close());

  return { store, watch, listener, lastUsed, clock, randomBytes, logger };
}
