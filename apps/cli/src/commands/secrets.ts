import { CliCommand } from '../arguments/cli-command';
import { EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readWebhookSettings, type WebhookSettings, withWebhookOptions } from '../operator/options';

/** `secrets reseal`. */
export function secretsCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const reseal = withWebhookOptions(new CliCommand('reseal'))
    .summary('seal every signing secret of webhooks with the first key')
    .description(
      'Seals every signing secret that another key has sealed with the first of WEBHOOK_KEYS; after it the others may be dropped.\nDeliveries go on ' +
        'meanwhile. Exits with 0 if all are sealed, 1 if any cannot be opened, 3 if the service cannot be reached.',
    )
    .runs(
      (_operands, options, fault) => readWebhookSettings(options, fault),
      (settings) => resealSecrets(settings, io),
      onExitCode,
    );
  return new CliCommand('secrets').summary('seal the signing secrets of webhooks again').addCommand(reseal);
}

async function resealSecrets(settings: WebhookSettings, io: CliIo): Promise<ExitCode> {
  const service = await import('../operator/webhook-service');
  const { lines, notes = [], exitCode = EXIT.done } = await service.resealSecrets(settings, io);
  for (const line of lines) io.stdout.write(`${line}\n`);
  for (const note of notes) io.stderr.write(`${note}\n`);
  return exitCode;
}
