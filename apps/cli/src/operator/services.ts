import { account, IDEMPOTENT, webhook } from '@market-state/contracts';
import { isServiceError, type ServiceError } from '@market-state/errors';
import { createClient, type RpcPeer } from '@market-state/grpc';
import { badInput, type CliError, EXIT, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { counted } from '../io/instant';
import { operatorIdentity } from '../io/operator-identity';
import type { Done } from './operations';
import { accountAddress, type AccountSettings, webhookAddress, type WebhookSettings } from './options';

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

/** Every secret is decrypted and encrypted again. */
const RESEAL_DEADLINE_MS = 60_000;

/** @throws CliError if the service is unreachable or rejects the call */
export async function resealSecrets(settings: WebhookSettings, io: CliIo): Promise<Done> {
  const address = await webhookAddress(settings, io);
  const client = createClient({
    definition: webhook.EndpointServiceService,
    address,
    peer: operatorIdentity(io, settings.dataDir, [address]).to('webhook'),
    idempotent: IDEMPOTENT,
    deadlineMs: RESEAL_DEADLINE_MS,
  });
  try {
    return describeReseal(await client.call.resealSecrets({}));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (error.code === 'UNAUTHENTICATED' || error.code === 'PERMISSION_DENIED')
      throw badInput(error.message, 'The service belongs to another installation or does not accept operator calls.');
    throw incomplete(error.message, `Webhook service: ${address}.`);
  } finally {
    await client.close();
  }
}

function describeReseal({ keyId, resealed, unreadable }: webhook.ResealSecretsResponse): Done {
  const sealed = `${counted(resealed, 'secret')} re-encrypted with key ${keyId}`;
  const result = { key_id: keyId, resealed, unreadable };
  if (unreadable === 0) return { result, lines: [`${sealed}: the other keys can be removed.`] };
  return {
    result,
    lines: [`${sealed}; ${counted(unreadable, 'secret')} could not be decrypted.`],
    notes: ['Nothing is sent with a secret that cannot be decrypted: restore its key to the service, or rotate the secret.'],
    exitCode: EXIT.different,
  };
}
