import { plans } from '@market-state/pricing';
import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readAccountSettings, withAccountOptions } from '../operator/account-settings';
import { readPlan, withPlanOptions } from '../operator/plan-options';
import { runOperator } from '../operator/run-operator';

const planIds = plans.map(({ planId }) => planId).join(', ');

/** `plan set`. */
export function planCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const set = withAccountOptions(withPlanOptions(new CliCommand('set')))
    .summary('give a tenant another plan, with the credits of a first period')
    .argument('<tenant>', 'its id or name')
    .argument('<plan>', planIds.replace(/, ([^,]+)$/, ' or $1'))
    .option(
      '--end-subscription',
      'end a paid subscription of the tenant at once and credit the unused part; without it, a plan paid by subscription is not changed',
    )
    .addHelpText('after', '\nExample:\n  $ market-state plan set acme enterprise --market-state 20000000 --export 100000\n')
    .runs(
      ([tenant = '', planId = ''], options, fault) => ({
        ...readAccountSettings(options, fault),
        tenant,
        plan: { ...readPlan(planId, options, fault), endSubscription: options['endSubscription'] === true },
      }),
      ({ tenant, plan, ...settings }) => runOperator(settings, io, ({ setPlan }, calls) => setPlan(calls, tenant, plan)),
      onExitCode,
    );
  return new CliCommand('plan').summary('change the plan of a tenant').addCommand(set);
}
