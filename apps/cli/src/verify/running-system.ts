import { IDEMPOTENT, labeling, marketData } from '@market-state/contracts';
import { type ServiceError, isServiceError } from '@market-state/errors';
import { createClient, type RpcIdentity } from '@market-state/grpc';
import { signingKeyOf, type SigningKey } from '@market-state/labeler';
import { badInput, type CliError, incomplete } from '../cli-error';
import type { Endpoints } from './endpoints';

const DEADLINE_MS = 10_000;

/** The two services that a verification asks. */
export interface RunningSystem {
  readonly labeling: ReturnType<typeof connect>['labeling']['call'];
  readonly dataPlane: ReturnType<typeof connect>['dataPlane']['call'];
}

/** Gives `work` the services. @throws CliError when they cannot be reached, or refuse */
export async function withRunningSystem<T>(
  endpoints: Endpoints,
  identity: RpcIdentity,
  work: (system: RunningSystem) => Promise<T>,
): Promise<T> {
  const clients = connect(endpoints, identity);
  try {
    return await work({ labeling: clients.labeling.call, dataPlane: clients.dataPlane.call });
  } catch (error) {
    throw isServiceError(error) ? toCliError(error, endpoints) : error;
  } finally {
    await Promise.all([clients.labeling.close(), clients.dataPlane.close()]);
  }
}

function connect(endpoints: Endpoints, identity: RpcIdentity) {
  return {
    labeling: createClient({
      definition: labeling.LabelingServiceService,
      address: endpoints.labeling,
      peer: identity.to('labeling'),
      idempotent: IDEMPOTENT,
      deadlineMs: DEADLINE_MS,
    }),
    dataPlane: createClient({
      definition: marketData.MarketDataServiceService,
      address: endpoints.dataPlane,
      peer: identity.to('data-plane'),
      idempotent: IDEMPOTENT,
      deadlineMs: DEADLINE_MS,
    }),
  };
}

/** Every public key that packets were ever signed with, by its id as worked out from its bytes. */
export async function signingKeys(system: RunningSystem, signal: AbortSignal): Promise<ReadonlyMap<string, SigningKey>> {
  const { keys } = await system.labeling.listSigningKeys({}, { signal });
  return new Map(keys.map(({ publicKey }) => signingKeyOf(publicKey)).map((key) => [key.keyId, key]));
}

function toCliError(error: ServiceError, { labeling: labelingAddress, dataPlane }: Endpoints): CliError {
  const { code, message, faults } = error;
  if (code === 'INVALID_ARGUMENT') return badInput(message, ...faults.map((fault) => `${fault.field}: ${fault.message}`));
  if (isServiceError(error, 'unknown_symbol')) return badInput(message);
  if (code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED') {
    return incomplete(message, `Asked labeling at ${labelingAddress} and the data plane at ${dataPlane}.`);
  }
  return incomplete(message);
}
