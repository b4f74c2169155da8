import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readWebhookSettings, type WebhookSettings, withWebhookOptions } from '../operator/options';
import { writeDone } from '../operator/run-operator';

export function secretsCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const reseal = withWebhookOptions(new CliCommand('reseal'))
    .summary('re-encrypt all webhook signing secrets with the first key')
    .description(
      'Re-encrypts every webhook signing secret with the first of WEBHOOK_KEYS; afterwards the other keys can be removed.\nDeliveries continue ' +
        'during the run. Exits with 0 if all are re-encrypted, 1 if any cannot be decrypted, 3 if the service is unreachable.',
    )
    .runs(
      (_operands, options, fault) => readWebhookSettings(options, fault),
      (settings) => resealSecrets(settings, io),
      onExitCode,
    );
  return new CliCommand('secrets').summary('re-encrypt webhook signing secrets').addCommand(reseal);
}

async function resealSecrets(settings: WebhookSettings, io: CliIo): Promise<ExitCode> {
  const service = await import('../operator/webhook-service');
  return writeDone(await service.resealSecrets(settings, io), settings, io);
}
