import { bindCreditService, createNotices, type Credits } from '@market-state/account';
import { account } from '@market-state/contracts';
import { createClient, createHealth, type GrpcClient, startGrpcServer } from '@market-state/grpc';
import { createLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';

/** The credit service in this process, on a clock of its own. */
export interface CreditHost {
  readonly credits: Credits;
  readonly call: GrpcClient<account.CreditServiceService>['call'];
  setNow(ms: number): void;
  close(): Promise<void>;
}

export async function hostCredits(databaseUrl: string, startMs: number): Promise<CreditHost> {
  const logger = createLogger('credits', { level: 'silent' });
  const pool = createPool({ url: databaseUrl, logger, applicationName: 'credit model', max: 3 });
  const notices = createNotices(databaseUrl, logger);
  let nowMs = startMs;
  const credits: Credits = { pool, notices, logger, clock: () => nowMs };
  const server = await startGrpcServer({
    address: '127.0.0.1:0',
    services: [bindCreditService(credits)],
    health: createHealth([]),
    logger,
    shutdownWaitMs: 0,
  });
  const client = createClient({ definition: account.CreditServiceService, address: server.address });
  return {
    credits,
    call: client.call,
    setNow(ms) {
      nowMs = ms;
    },
    async close() {
      await client.close();
      await server.close();
      await notices.close();
      await pool.end();
    },
  };
}
