import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { keyDigest } from '@market-state/credentials';
import { createLogger } from '@market-state/logging';
import { patientPeer, startStores, testRpcSettings, type TestStores } from '@market-state/testing';
import { Client } from 'pg';
import { type AccountConfig, type AccountOverrides, type AccountServer, startAccount } from '../src';

export interface AccountUnderTest {
  readonly stores: TestStores;
  readonly server: AccountServer;
  readonly client: GrpcClient<account.KeyServiceService>;
  readonly accounts: GrpcClient<account.AccountServiceService>;
  /** Folder that receives sent mail. */
  readonly outbox: string;
  /** Clock of the service: wall clock plus `aheadMs`. */
  readonly clock: { aheadMs: number };
  /** Log lines so far. */
  readonly lines: string[];
  /** Runs SQL with the rights of the service. */
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Runs SQL as the owner of the tables; services do not have that role. */
  ownerSql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  verify(key: string): Promise<account.KeyGrant | undefined>;
  /** Revokes a key through a second process on the same database. */
  revokeElsewhere(keyId: string): Promise<void>;
  /** Runs `work` with a second process on the same database. */
  withReplica<T>(work: (replica: Replica) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Clients of a second process. */
interface Replica extends Pick<AccountUnderTest, 'client' | 'accounts'> {
  readonly credits: GrpcClient<account.CreditServiceService>;
  readonly billing: GrpcClient<account.BillingServiceService>;
}

/** Overrides of the defaults. */
export interface Changed {
  readonly config?: Partial<AccountConfig>;
  readonly limits?: AccountOverrides['limits'];
}

/** Starts the service on its own database. */
export async function startAccountUnderTest(changed: Changed = {}): Promise<AccountUnderTest> {
  const stores = await startStores({ services: ['account'] });
  const databaseUrl = stores.postgresUrl('account');
  const clock = { aheadMs: 0 };
  const lines: string[] = [];
  const logger = createLogger('account', { level: 'trace', destination: { write: (line) => void lines.push(line) } });
  const outbox = mkdtempSync(join(tmpdir(), 'account-outbox-'));
  const config: AccountConfig = {
    logLevel: 'trace',
    grpcAddress: '127.0.0.1:0',
    opsPort: 0,
    databaseUrl,
    rpc: testRpcSettings('account'),
    answerSecret: 'a secret of tests, 32 bytes or more',
    allowTrials: true,
    verifiesEmails: false,
    trialsPerAddress: 2,
    trialsPerDay: 100,
    claimMailsPerDay: 1_000,
    sandboxKeysPerDay: 5,
    publicBaseUrl: 'https://market-state.example',
    mail: { from: 'market-state@market-state.example', to: { folder: outbox } },
    billing: { stripe: null, allowedOrigins: ['https://app.market-state.example'] },
    oidc: null,
    shutdownWaitMs: 0,
    ...changed.config,
  };
  const start = (): Promise<AccountServer> =>
    startAccount(config, { clock: () => Date.now() + clock.aheadMs, logger, limits: changed.limits });
  const server = await start();
  const client = createClient({ definition: account.KeyServiceService, ...patientPeer('account'), address: server.address });
  const accounts = createClient({ definition: account.AccountServiceService, ...patientPeer('account'), address: server.address });
  async function withReplica<T>(work: (replica: Replica) => Promise<T>): Promise<T> {
    const replica = await start();
    const clients = {
      client: createClient({ definition: account.KeyServiceService, ...patientPeer('account'), address: replica.address }),
      accounts: createClient({ definition: account.AccountServiceService, ...patientPeer('account'), address: replica.address }),
      credits: createClient({ definition: account.CreditServiceService, ...patientPeer('account'), address: replica.address }),
      billing: createClient({ definition: account.BillingServiceService, ...patientPeer('account'), address: replica.address }),
    };
    try {
      return await work(clients);
    } finally {
      await clients.client.close();
      await clients.accounts.close();
      await clients.credits.close();
      await clients.billing.close();
      await replica.close();
    }
  }
  const db = new Client({ connectionString: databaseUrl });
  const ownerDb = new Client({ connectionString: stores.ownerUrl('account') });
  await Promise.all([db.connect(), ownerDb.connect()]);
  return {
    stores,
    server,
    client,
    accounts,
    outbox,
    clock,
    lines,
    async sql<Row extends object>(text: string, values: unknown[] = []) {
      const { rows } = await db.query<Row>(text, values);
      return rows;
    },
    async ownerSql<Row extends object>(text: string, values: unknown[] = []) {
      const { rows } = await ownerDb.query<Row>(text, values);
      return rows;
    },
    async verify(key) {
      const { grant } = await client.call.verifyKey({ keyDigest: keyDigest(key) });
      return grant;
    },
    async revokeElsewhere(keyId) {
      await withReplica((replica) => replica.client.call.revokeKey({ keyId, tenantId: '' }));
    },
    withReplica,
    async stop() {
      await Promise.all([db.end(), ownerDb.end()]);
      await client.close();
      await accounts.close();
      await server.close();
      await stores.stop();
      rmSync(outbox, { recursive: true, force: true });
    },
  };
}

export function orderFor(tenantName: string): account.IssueKeyRequest {
  return { tenantName, kind: account.KeyKind.LIVE, scopes: [account.Scope.READ], expiresTsMs: 0 };
}
