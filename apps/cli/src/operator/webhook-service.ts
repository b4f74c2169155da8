import { IDEMPOTENT, webhook } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { createClient } from '@market-state/grpc';
import { badInput, EXIT, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { counted } from '../io/instant';
import { operatorIdentity } from '../io/operator-identity';
import { type WebhookSettings, webhookAddress } from './options';
import type { Done } from './operations';

/** All secrets are opened and sealed. */
const DEADLINE_MS = 60_000;

/** Has all signing secrets sealed with the first key of the webhook service. @throws CliError when it cannot be reached, or refuses */
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
    return told(await client.call.resealSecrets({}));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (error.code === 'UNAUTHENTICATED' || error.code === 'PERMISSION_DENIED')
      throw badInput(error.message, 'The service belongs to another installation, or does not accept calls from operators.');
    throw incomplete(error.message, `Asked the webhook service at ${address}.`);
  } finally {
    await client.close();
  }
}

function told({ keyId, resealed, unreadable }: webhook.ResealSecretsResponse): Done {
  const sealed = `${counted(resealed, 'secret')} sealed anew with key ${keyId}`;
  if (unreadable === 0) return { lines: [`${sealed}: every other key may be dropped.`] };
  return {
    lines: [`${sealed}; ${counted(unreadable, 'secret')} could not be opened.`],
    notes: ['Nothing is sent with a secret that cannot be opened: give the service its key again, or rotate the secret.'],
    exitCode: EXIT.different,
  };
}
