import type { CliCommand, Fault } from '../arguments/cli-command';
import { addressOption, textOption, type Options, choiceOption, numberOption } from '../arguments/values';
import type { CliIo } from '../io/cli-io';
import { readEndpointsFile } from '../io/endpoints-file';

/** What orders may be listed by: a status, or `all`. */
export const ORDER_WORDS = ['open', 'fulfilled', 'expired', 'cancelled', 'all'] as const;
export type OrderWord = (typeof ORDER_WORDS)[number];

/** Most of a 32 bit count. */
const CREDITS_MAX = 4_294_967_295;

export type RenewalWord = 'monthly' | 'daily' | 'none';

/** A plan that a tenant is to have. */
export interface WantedPlan {
  readonly planId: string;
  readonly renewal: RenewalWord;
  /** Credits of a period by contract; undefined: those of the plan. */
  readonly marketStateCredits?: number;
  readonly exportCredits?: number;
  /** Ends what the tenant pays by a subscription. */
  readonly endSubscription?: boolean;
}

/** The options that `readPlan` reads. */
export function withPlanOptions(command: CliCommand): CliCommand {
  return command
    .option('--renewal <word>', 'how often the credits are granted: monthly, daily or none', 'monthly')
    .option('--market-state <number>', 'market-state credits for a period, for a plan by contract')
    .option('--export <number>', 'export credits for a period, for a plan by contract');
}

/** The plan of that id, as the options say. */
export function readPlan(planId: string, options: Options, fault: Fault): WantedPlan {
  return {
    planId,
    renewal: choiceOption(options, 'renewal', ['monthly', 'daily', 'none'], fault),
    marketStateCredits: creditsOption(options, 'marketState', 'market-state', fault),
    exportCredits: creditsOption(options, 'export', 'export', fault),
  };
}

/** A number of credits. @param name as the options are keyed; `flag` as it is typed, without its dashes */
export function creditsOption(options: Options, name: string, flag: string, fault: Fault): number | undefined {
  return numberOption({ [flag]: textOption(options, name) }, flag, { min: 0, max: CREDITS_MAX, integer: true }, fault);
}

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

/** Where the account service is meant to be. */
export interface AccountSettings {
  readonly account?: string;
  readonly dataDir?: string;
}

/** The options that `readAccountSettings` reads. */
export function withAccountOptions(command: CliCommand): CliCommand {
  return command
    .option('--account <host:port>', 'address of the account service; without it ACCOUNT_ADDRESS, then the running system’s data folder')
    .option('--data-dir <folder>', 'data folder of the running system');
}

export function readAccountSettings(options: Options, fault: Fault): AccountSettings {
  return { account: addressOption(options, 'account', 'account', fault), dataDir: textOption(options, 'dataDir') };
}

/** `host:port` of the account service. @throws CliError when no system runs where one was meant */
export async function accountAddress({ account, dataDir }: AccountSettings, io: CliIo): Promise<string> {
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
