import { account } from '@market-state/contracts';
import { createClient, createHealth, type GrpcClient, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { patientPeer, testServing } from '@market-state/testing';
import { type StandInCredits, standInCredits } from './account-credits';

/** Only the stand-in's credits, behind their own protocol. */
export interface ServedCredits {
  readonly credits: StandInCredits;
  readonly client: GrpcClient<account.CreditServiceService>;
  close(): Promise<void>;
}

export async function serveCredits(): Promise<ServedCredits> {
  const { service, credits, close } = standInCredits();
  const server = await startGrpcServer({
    ...testServing('account'),
    address: '127.0.0.1:0',
    services: [service],
    health: createHealth([]),
    logger: silentLogger(),
    shutdownWaitMs: 0,
  });
  const client = createClient({ definition: account.CreditServiceService, ...patientPeer('account'), address: server.address });
  return {
    credits,
    client,
    async close() {
      close();
      await client.close();
      await server.close();
    },
  };
}
