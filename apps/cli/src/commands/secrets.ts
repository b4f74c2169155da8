import { webhook } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { CliCommand } from '../arguments/cli-command';
import { addressOption, textOption } from '../arguments/values';
import { EXIT, type ExitCode, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readEndpointsFile } from '../io/text-file';
import { counted } from '../io/instant';
import { type OperatorResult, writeOperatorResult } from '../operator/operator-command';
import { operatorClient, operatorIdentity, refusedOperator } from '../operator/service-client';
import { readResultFormat, type ResultFormat, withResultOption } from '../output/settings';

/** Every secret is decrypted and encrypted again. */
const DEADLINE_MS = 60_000;

interface ResealSettings {
  readonly format: ResultFormat;
  readonly webhook?: string;
  readonly dataDir?: string;
}

export function secretsCommand(): CliCommand {
  const reseal = withResultOption(new CliCommand('reseal'))
    .summary('re-encrypt all webhook signing secrets with the first key')
    .description(
      'Re-encrypts every webhook signing secret with the first of WEBHOOK_KEYS; afterwards the other keys can be removed.\nDeliveries continue ' +
        'during the run. Exits with 0 if all are re-encrypted, 1 if any cannot be decrypted, 3 if the service is unreachable.',
    )
    .option('--webhook <host:port>', 'address of the webhook service (default: from the data folder of the running system)')
    .option('--data-dir <folder>', 'data folder of the running system')
    .runs<ResealSettings>(
      (_operands, options, fault) => ({
        webhook: addressOption(options, 'webhook', fault),
        dataDir: textOption(options, 'dataDir'),
        format: readResultFormat(options, fault),
      }),
      resealSecrets,
    );
  return new CliCommand('secrets').summary('re-encrypt webhook signing secrets').addCommand(reseal);
}

/** @throws CliError if the service is unreachable or rejects the call */
async function resealSecrets({ webhook: named, dataDir, format }: ResealSettings, io: CliIo): Promise<ExitCode> {
  const address = named ?? (await addressOfWebhook(dataDir ?? io.dataDir, io));
  const peer = operatorIdentity(io, dataDir, [address]).to('webhook');
  const client = operatorClient(webhook.EndpointServiceService, address, peer, DEADLINE_MS);
  try {
    return writeOperatorResult(describeReseal(await client.call.resealSecrets({})), format, io);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw refusedOperator(error) ?? incomplete(error.message, `Webhook service: ${address}.`);
  } finally {
    await client.close();
  }
}

async function addressOfWebhook(dataDir: string, io: CliIo): Promise<string> {
  return (await readEndpointsFile(io.cwd, dataDir, ['webhook'], 'its webhook service with --webhook host:port')).webhook;
}

function describeReseal({ keyId, resealed, unreadable }: webhook.ResealSecretsResponse): OperatorResult {
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
