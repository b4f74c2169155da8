import type { CliCommand, Fault } from '../arguments/cli-command';
import { numberOption, serviceUrlOption, textOption, type Options } from '../arguments/values';
import { readOutputSettings, type OutputSettings, withOutputOptions } from '../output/settings';

const CREDITS = 100;
const CREDITS_MAX = 1_000_000_000;

export interface ClientSettings extends OutputSettings {
  readonly url?: string;
  readonly dataDir?: string;
  readonly maxCredits: number;
  readonly isDryRun: boolean;
}

export function withServiceOptions(command: CliCommand): CliCommand {
  return command
    .option('--url <address>', 'service to call (default: MARKET_STATE_URL, then the login profile, then the system on this machine)')
    .option('--data-dir <folder>', 'data folder of a system on this machine');
}

/** @param credits default of `--max-credits` */
export function withClientOptions(command: CliCommand, credits = CREDITS): CliCommand {
  return withOutputOptions(withServiceOptions(command))
    .option('--max-credits <n>', 'most credits the whole command may spend', String(credits))
    .option('--dry-run', 'print the request and its maximum cost without sending it');
}

export function readServiceSettings(options: Options, fault: Fault): Pick<ClientSettings, 'url' | 'dataDir'> {
  const [url, dataDir] = [serviceUrlOption(options, fault), textOption(options, 'dataDir')];
  if (url !== undefined && dataDir !== undefined) fault('use either --url or --data-dir, not both');
  return { url, dataDir };
}

export function readClientSettings(options: Options, fault: Fault): ClientSettings {
  return {
    ...readServiceSettings(options, fault),
    ...readOutputSettings(options, fault),
    maxCredits: numberOption(options, 'maxCredits', { min: 0, max: CREDITS_MAX, integer: true }, fault) ?? CREDITS,
    isDryRun: options['dryRun'] === true,
  };
}
