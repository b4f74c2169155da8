import { type AccountOverrides, readAccountConfig, startAccount } from '@market-state/account';
import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { ownInstallation } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { type Metrics, openFolder, readMetrics, SECRET } from '@market-state/testing';

/** The account service in this process. */
export interface HostedAccount {
  readonly keys: GrpcClient<account.KeyServiceService>['call'];
  readonly accounts: GrpcClient<account.AccountServiceService>['call'];
  metrics(): Promise<Metrics>;
}

/** What it has otherwise: its limits, and variables of its environment. */
export interface HostedSettings {
  readonly limits?: AccountOverrides['limits'];
  readonly env?: NodeJS.ProcessEnv;
}

/** Several may be on one database. */
export async function hostAccount(closer: Closer, databaseUrl: string, { limits, env }: HostedSettings = {}): Promise<HostedAccount> {
  const config = readAccountConfig({
    RPC_TOKEN_FILE: ownInstallation().writeTokenFile('account'),
    DATABASE_URL: databaseUrl,
    ANSWER_SECRET: SECRET,
    ALLOW_TRIALS: 'true',
    PUBLIC_BASE_URL: 'http://127.0.0.1',
    OUTBOX_DIR: openFolder(closer),
    SHUTDOWN_WAIT_MS: '0',
    ...env,
  });
  const server = await startAccount(config, { logger: silentLogger(), limits });
  closer.add('account', () => server.close());
  const to = { peer: ownInstallation().peer('account'), address: server.address };
  const keys = createClient({ ...to, definition: account.KeyServiceService });
  closer.add('keys', () => keys.close());
  const accounts = createClient({ ...to, definition: account.AccountServiceService });
  closer.add('accounts', () => accounts.close());
  return { keys: keys.call, accounts: accounts.call, metrics: () => readMetrics(`http://127.0.0.1:${server.opsPort}`) };
}

/** An order for a live key that reads. */
export function orderFor(tenantName: string): account.IssueKeyRequest {
  return { tenantName, kind: account.KeyKind.LIVE, scopes: [account.Scope.READ], expiresTsMs: 0 };
}
