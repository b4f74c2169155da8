import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountOverrides, readAccountConfig, startAccount } from '@market-state/account';
import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { migrate, ownInstallation, startStores } from '@market-state/launcher';
import { createLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import type { Pool } from 'pg';

/** The account service in this process. */
export interface AccountHost {
  readonly keys: GrpcClient<account.KeyServiceService>['call'];
  readonly accounts: GrpcClient<account.AccountServiceService>['call'];
  /** The number that a series of its metrics has; 0 where there is none. `labels` is a part of the series' labels. */
  metric(name: string, labels?: string): Promise<number>;
  close(): Promise<void>;
}

/** Stores of its own, and the account service on them. */
export interface AccountStores {
  readonly pool: Pool;
  /** `settings` are variables of its environment beside those that it needs. */
  host(limits?: AccountOverrides['limits'], settings?: NodeJS.ProcessEnv): Promise<AccountHost>;
  close(): Promise<void>;
}

export async function startAccountStores(): Promise<AccountStores> {
  const stores = await startStores();
  const outbox = mkdtempSync(join(tmpdir(), 'prove-outbox-'));
  const databaseUrl = stores.postgresUrl('account');
  await migrate(stores.migrationTargets(['account']));
  const logger = createLogger('prove', { level: 'silent' });
  const pool = createPool({ url: databaseUrl, logger, applicationName: 'prove' });
  return {
    pool,
    host: (limits, settings = {}) => hostAccount(databaseUrl, outbox, limits, settings),
    async close() {
      await pool.end();
      await stores.stop();
      rmSync(outbox, { recursive: true, force: true });
    },
  };
}

async function hostAccount(
  databaseUrl: string,
  outbox: string,
  limits: AccountOverrides['limits'],
  settings: NodeJS.ProcessEnv,
): Promise<AccountHost> {
  const config = readAccountConfig({
    RPC_TOKEN_FILE: ownInstallation().writeTokenFile('account'),
    DATABASE_URL: databaseUrl,
    ANSWER_SECRET: 'a secret of proofs, 32 bytes or more',
    ALLOW_TRIALS: 'true',
    PUBLIC_BASE_URL: 'http://127.0.0.1',
    OUTBOX_DIR: outbox,
    SHUTDOWN_WAIT_MS: '0',
    ...settings,
  });
  const server = await startAccount(config, { logger: createLogger('account', { level: 'silent' }), limits });
  const keys = createClient({ definition: account.KeyServiceService, peer: ownInstallation().peer('account'), address: server.address });
  const accounts = createClient({
    definition: account.AccountServiceService,
    peer: ownInstallation().peer('account'),
    address: server.address,
  });
  return {
    keys: keys.call,
    accounts: accounts.call,
    async metric(name, labels = '') {
      const lines = (await (await fetch(`http://127.0.0.1:${server.opsPort}/metrics`)).text()).split('\n');
      const series = lines.filter((line) => line.startsWith(`${name}{`) && line.includes(labels));
      return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
    },
    async close() {
      await keys.close();
      await accounts.close();
      await server.close();
    },
  };
}
