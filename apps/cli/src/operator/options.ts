import type { CliCommand, Fault } from '../arguments/cli-command';
import { addressOption, textOption, type Options, choiceOption, numberOption } from '../arguments/values';
import type { CliIo } from '../io/cli-io';
import { readEndpointsFile } from '../io/endpoints-file';
import { readResultFormat, type ResultFormat, withResultOption } from '../output/settings';

export const ORDER_WORDS = ['open', 'fulfilled', 'expired', 'cancelled', 'all'] as const;
export type OrderWord = (typeof ORDER_WORDS)[number];

/** Maximum of an unsigned 32-bit integer. */
const CREDITS_MAX = 4_294_967_295;

export type RenewalWord = 'monthly' | 'daily' | 'none';

export interface WantedPlan {
  readonly planId: string;
  readonly renewal: RenewalWord;
  readonly marketStateCredits?: number;
  readonly exportCredits?: number;
  readonly endSubscription?: boolean;
}

export function withPlanOptions(command: CliCommand): CliCommand {
  return command
    .option('--renewal <word>', 'how often credits are granted: monthly, daily or none', 'monthly')
    .option('--market-state <number>', 'market-state credits per period, for contract plans')
    .option('--export <number>', 'export credits per period, for contract plans');
}

export function readPlan(planId: string, options: Options, fault: Fault): WantedPlan {
  return {
    planId,
    renewal: choiceOption(options, 'renewal', ['monthly', 'daily', 'none'], fault),
    marketStateCredits: creditsOption(options, 'marketState', 'market-state', fault),
    exportCredits: creditsOption(options, 'export', 'export', fault),
  };
}

/** @param name option key; `flag`: as typed, without dashes */
export function creditsOption(options: Options, name: string, flag: string, fault: Fault): number | undefined {
  return numberOption({ [flag]: textOption(options, name) }, flag, { min: 0, max: CREDITS_MAX, integer: true }, fault);
}

export interface WebhookSettings {
  readonly format: ResultFormat;
  readonly webhook?: string;
  readonly dataDir?: string;
}

export function withWebhookOptions(command: CliCommand): CliCommand {
  return withResultOption(command)
    .option('--webhook <host:port>', 'address of the webhook service (default: from the data folder of the running system)')
    .option('--data-dir <folder>', 'data folder of the running system');
}

export function readWebhookSettings(options: Options, fault: Fault): WebhookSettings {
  const webhook = addressOption(options, 'webhook', 'webhook', fault);
  return { webhook, dataDir: textOption(options, 'dataDir'), format: readResultFormat(options, fault) };
}

/** @throws CliError if no address is given and no system runs here */
export async function webhookAddress({ webhook, dataDir }: Omit<WebhookSettings, 'format'>, io: CliIo): Promise<string> {
  if (webhook !== undefined) return webhook;
  const otherwise = 'its webhook service with --webhook host:port';
  return (await readEndpointsFile(io.cwd, dataDir ?? io.dataDir, ['webhook'], otherwise)).webhook;
}

export interface AccountSettings {
  readonly format: ResultFormat;
  readonly account?: string;
  readonly dataDir?: string;
}

export function withAccountOptions(command: CliCommand): CliCommand {
  return withResultOption(command)
    .option(
      '--account <host:port>',
      'address of the account service (default: ACCOUNT_ADDRESS, then the data folder of the running system)',
    )
    .option('--data-dir <folder>', 'data folder of the running system');
}

export function readAccountSettings(options: Options, fault: Fault): AccountSettings {
  const account = addressOption(options, 'account', 'account', fault);
  return { account, dataDir: textOption(options, 'dataDir'), format: readResultFormat(options, fault) };
}

/** @throws CliError if no address is given and no system runs here */
export async function accountAddress({ account, dataDir }: Omit<AccountSettings, 'format'>, io: CliIo): Promise<string> {
  if (account !== undefined) return account;
  if (dataDir === undefined && io.accountAddress !== undefined) return io.accountAddress;
  const { account: address } = await readEndpointsFile(
    io.cwd,
    dataDir ?? io.dataDir,
    ['account'],
    'its account service with --account host:port',
  );
  return address;
}
