import { account, IDEMPOTENT } from '@market-state/contracts';
import { isServiceError, type ServiceError } from '@market-state/errors';
import { createClient, type RpcPeer } from '@market-state/grpc';
import { badInput, type CliError, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { operatorIdentity } from '../io/operator-identity';
import { accountAddress, type AccountSettings } from './options';

/** An audit reads the whole ledger. */
const DEADLINE_MS = 60_000;

export interface AccountCalls {
  readonly operator: ReturnType<typeof connect>['operator']['call'];
  readonly keys: ReturnType<typeof connect>['keys']['call'];
}

/** @throws CliError if the service is unreachable or rejects a call */
export async function withAccountService<T>(settings: AccountSettings, io: CliIo, work: (calls: AccountCalls) => Promise<T>): Promise<T> {
  const address = await accountAddress(settings, io);
  const { operator, keys } = connect(address, operatorIdentity(io, settings.dataDir, [address]).to('account'));
  try {
    return await work({ operator: operator.call, keys: keys.call });
  } catch (error) {
    throw isServiceError(error) ? toCliError(error, address) : error;
  } finally {
    await Promise.all([operator.close(), keys.close()]);
  }
}

function connect(address: string, peer: RpcPeer) {
  return {
    operator: createClient({
      definition: account.OperatorServiceService,
      address,
      peer,
      idempotent: IDEMPOTENT,
      deadlineMs: DEADLINE_MS,
    }),
    keys: createClient({
      definition: account.KeyServiceService,
      address,
      peer,
      idempotent: IDEMPOTENT,
      deadlineMs: DEADLINE_MS,
    }),
  };
}

function toCliError({ code, reason, message, faults }: ServiceError, address: string): CliError {
  if (code === 'INVALID_ARGUMENT') return badInput(message, ...faults.map((fault) => `${fault.field}: ${fault.message}`));
  if (code === 'NOT_FOUND') return badInput(message);
  if (reason === 'subscription_running')
    return badInput(message, 'With --end-subscription it ends immediately, the unused part is credited, and the plan changes.');
  if (code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED') return incomplete(message, `Account service: ${address}.`);
  if (code === 'UNAUTHENTICATED' || code === 'PERMISSION_DENIED')
    return badInput(message, 'The service belongs to another installation or does not accept operator calls.');
  return incomplete(message);
}
