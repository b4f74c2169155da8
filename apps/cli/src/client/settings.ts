import type { CliCommand, Fault } from '../arguments/cli-command';
import { numberOption, serviceUrlOption, textOption, type Options } from '../arguments/values';
import { readOutputSettings, type OutputSettings, withOutputOptions } from '../output/settings';

/** Credits that a command may cost unless it says otherwise. */
const CREDITS = 100;
const CREDITS_MAX = 1_000_000_000;

/** Which service a command asks, what it may cost, and how it shows what came. */
export interface ClientSettings extends OutputSettings {
  readonly url?: string;
  readonly dataDir?: string;
  /** Credits that the whole command may cost. */
  readonly maxCredits: number;
  /** Print what would be sent and what it would cost, and send nothing else. */
  readonly isDryRun: boolean;
}

/** The options that name the service. */
export function withServiceOptions(command: CliCommand): CliCommand {
  return command
    .option('--url <address>', 'service to ask; without it MARKET_STATE_URL, the profile of login, or the system on this machine')
    .option('--data-dir <folder>', 'data folder of a system on this machine');
}

/** The options that `readClientSettings` reads. */
export function withClientOptions(command: CliCommand): CliCommand {
  return withOutputOptions(withServiceOptions(command))
    .option('--max-credits <n>', 'credits that the whole command may cost', String(CREDITS))
    .option('--dry-run', 'print the request and what it would cost at most, and send nothing else');
}

export function readServiceSettings(options: Options, fault: Fault): Pick<ClientSettings, 'url' | 'dataDir'> {
  const [url, dataDir] = [serviceUrlOption(options, fault), textOption(options, 'dataDir')];
  if (url !== undefined && dataDir !== undefined) fault('--url and --data-dir exclude each other');
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
