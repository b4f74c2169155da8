import type { CliCommand, Fault } from '../arguments/cli-command';
import { addressOption, type Options, textOption } from '../arguments/values';
import type { CliIo } from '../io/cli-io';
import { readEndpointsFile } from '../io/endpoints-file';

/** Where the webhook service is meant to be. */
export interface WebhookSettings {
  readonly webhook?: string;
  readonly dataDir?: string;
}

/** The options that `readWebhookSettings` reads. */
export function withWebhookOptions(command: CliCommand): CliCommand {
  return command
    .option('--webhook <host:port>', 'address of the webhook service; without it the running system’s data folder')
    .option('--data-dir <folder>', 'data folder of the running system');
}

export function readWebhookSettings(options: Options, fault: Fault): WebhookSettings {
  return { webhook: addressOption(options, 'webhook', 'webhook', fault), dataDir: textOption(options, 'dataDir') };
}

/** `host:port` of the webhook service. @throws CliError when no system runs where one was meant */
export async function webhookAddress({ webhook, dataDir }: WebhookSettings, io: CliIo): Promise<string> {
  if (webhook !== undefined) return webhook;
  const otherwise = 'its webhook service with --webhook host:port';
  return (await readEndpointsFile(io.cwd, dataDir ?? io.dataDir, ['webhook'], otherwise)).webhook;
}
