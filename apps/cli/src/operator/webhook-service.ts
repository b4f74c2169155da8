import { IDEMPOTENT, webhook } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { createClient } from '@market-state/grpc';
import { badInput, EXIT, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { counted } from '../io/instant';
import { operatorIdentity } from '../io/operator-identity';
import { type WebhookSettings, webhookAddress } from './options';
import type { Done } from './operations';

/** Every secret is decrypted and encrypted again. */
const DEADLINE_MS = 60_000;

/** @throws CliError if the service is unreachable or rejects the call */
export async function resealSecrets(settings: WebhookSettings, io: CliIo): Promise<Done> {
  const address = await webhookAddress(settings, io);
  const client = createClient({
    definition: webhook.EndpointServiceService,
    address,
    peer: operatorIdentity(io, settings.dataDir, [address]).to('webhook'),
    idempotent: IDEMPOTENT,
    deadlineMs: DEADLINE_MS,
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
