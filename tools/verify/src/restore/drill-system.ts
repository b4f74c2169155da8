import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSystem, type System } from '@market-state/testing';
import type { BackedUpPostgres } from './backed-up-postgres';

export const SYMBOL = 'BTCUSD-PERP';

/** How to start the whole system on a data folder, with its databases in a server of the operator. */
export function drillSystem(dataDir: string, postgres: BackedUpPostgres, receiversCa: string): () => Promise<System> {
  const caFile = join(dataDir, 'receivers.pem');
  writeFileSync(caFile, receiversCa);
  // The last full hour is played at the start, and archived.
  const settings = {
    FEED: 'recording',
    SYMBOLS: SYMBOL,
    WEBHOOK_TEST_TARGETS: 'localhost:*=127.0.0.0/8',
    WEBHOOK_TEST_CA_FILE: caFile,
    LOG_LEVEL: 'warn',
  };
  return () => startSystem({ dataDir, stores: { databaseUrl: postgres.url }, settings });
}
