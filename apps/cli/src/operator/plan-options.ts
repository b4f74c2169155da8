import type { CliCommand, Fault } from '../arguments/cli-command';
import { choiceOption, numberOption, textOption, type Options } from '../arguments/values';

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
