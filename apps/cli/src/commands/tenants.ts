import { plans } from '@market-state/pricing';
import { CliCommand } from '../arguments/cli-command';
import { textOption, instantOption, SCOPE_WORDS, scopesOption } from '../arguments/values';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readAccountSettings, withAccountOptions, readPlan, withPlanOptions } from '../operator/options';
import { runOperator } from '../operator/run-operator';

/** `keys list`, `keys issue` and `keys revoke`. */
export function keysCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const list = withAccountOptions(new CliCommand('list'))
    .summary('list a tenant’s keys, newest first')
    .argument('<tenant>', 'tenant id or name')
    .runs(
      ([tenant = ''], options, fault) => ({ ...readAccountSettings(options, fault), tenant }),
      ({ tenant, ...settings }) => runOperator(settings, io, ({ listKeys }, calls) => listKeys(calls, tenant)),
      onExitCode,
    );

  const issue = withAccountOptions(new CliCommand('issue'))
    .summary('issue a live key for a tenant and print it to stdout; it is shown only once')
    .argument('<tenant>', 'tenant id or name')
    .option('--name <name>', 'key name shown to the tenant', 'key')
    .option('--scopes <list>', 'comma-separated scopes of the key', SCOPE_WORDS.join(','))
    .option('--expires <time>', 'expiry as UTC time, epoch milliseconds or relative, such as +30d (default: never)')
    .addHelpText('after', '\nExample:\n  $ market-state admin keys issue demo --name notebook --scopes read,export\n')
    .runs(
      ([tenant = ''], options, fault) => ({
        ...readAccountSettings(options, fault),
        order: {
          tenant,
          name: textOption(options, 'name') ?? '',
          scopes: scopesOption(options, fault),
          expiresMs: instantOption(options, 'expires', fault),
        },
      }),
      ({ order, ...settings }) => runOperator(settings, io, ({ issueKey }, calls) => issueKey(calls, order)),
      onExitCode,
    );

  const revoke = withAccountOptions(new CliCommand('revoke'))
    .summary('revoke a key immediately')
    .argument('<key>', 'key id: key_…')
    .runs(
      ([keyId = ''], options, fault) => {
        if (!/^key_[0-9a-z]{26}$/.test(keyId))
          fault('pass a key id (key_…), not the key itself; "market-state admin keys list" shows the ids');
        return { ...readAccountSettings(options, fault), keyId };
      },
      ({ keyId, ...settings }) => runOperator(settings, io, ({ revokeKey }, calls) => revokeKey(calls, keyId)),
      onExitCode,
    );

  return new CliCommand('keys').summary('manage the keys of a tenant').addCommand(list).addCommand(issue).addCommand(revoke);
}

export function claimTokenCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withAccountOptions(new CliCommand('claim-token'))
    .summary('print a one-time token, valid for 24 hours, that links an account to a tenant; it is shown only once')
    .argument('<tenant>', 'tenant id or name')
    .runs(
      ([tenant = ''], options, fault) => ({ ...readAccountSettings(options, fault), tenant }),
      ({ tenant, ...settings }) => runOperator(settings, io, ({ makeClaimToken }, calls) => makeClaimToken(calls, tenant)),
      onExitCode,
    );
}

const planIds = plans.map(({ planId }) => planId).join(', ');

export function planCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const set = withAccountOptions(withPlanOptions(new CliCommand('set')))
    .summary('change a tenant’s plan and grant the credits of its first period')
    .argument('<tenant>', 'tenant id or name')
    .argument('<plan>', planIds.replace(/, ([^,]+)$/, ' or $1'))
    .option(
      '--end-subscription',
      'end the tenant’s paid subscription immediately and credit the unused part; without it, a plan with a subscription stays unchanged',
    )
    .addHelpText('after', '\nExample:\n  $ market-state admin plan set acme enterprise --market-state 20000000 --export 100000\n')
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

/** `tenants list` and `tenants create`. */
export function tenantsCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const list = withAccountOptions(new CliCommand('list'))
    .summary('list all tenants with their plans and credits, oldest first')
    .runs(
      (_operands, options, fault) => readAccountSettings(options, fault),
      (settings) => runOperator(settings, io, ({ listTenants }, calls) => listTenants(calls)),
      onExitCode,
    );

  const create = withAccountOptions(withPlanOptions(new CliCommand('create')))
    .summary('create a tenant')
    .argument('<name>', '1 to 100 characters')
    .option('--plan <id>', 'plan of the tenant (default: none)')
    .addHelpText('after', '\nExample:\n  $ market-state admin tenants create "Acme Research" --plan public_research\n')
    .runs(
      ([name = ''], options, fault) => {
        const planId = textOption(options, 'plan');
        return { ...readAccountSettings(options, fault), name, plan: planId === undefined ? undefined : readPlan(planId, options, fault) };
      },
      ({ name, plan, ...settings }) => runOperator(settings, io, ({ createTenant }, calls) => createTenant(calls, name, plan)),
      onExitCode,
    );

  return new CliCommand('tenants').summary('list and create tenants').addCommand(list).addCommand(create);
}

/** `tenant members`, `make-owner`, `disable`, `enable` and `remove-second-factor`. */
export function tenantCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const switching = (name: string, disabled: boolean, summary: string): CliCommand =>
    withAccountOptions(new CliCommand(name))
      .summary(summary)
      .argument('<tenant>', 'tenant id or name')
      .runs(
        ([tenant = ''], options, fault) => ({ ...readAccountSettings(options, fault), tenant }),
        ({ tenant, ...settings }) =>
          runOperator(settings, io, ({ setTenantDisabled }, calls) => setTenantDisabled(calls, tenant, disabled)),
        onExitCode,
      );
  const removeFactor = withAccountOptions(new CliCommand('remove-second-factor'))
    .summary('turn off two-factor authentication of an account whose owner lost it')
    .argument('<email>', 'email of the account')
    .runs(
      ([email = ''], options, fault) => ({ ...readAccountSettings(options, fault), email }),
      ({ email, ...settings }) => runOperator(settings, io, (operations, calls) => operations.removeSecondFactor(calls, email)),
      onExitCode,
    );
  const members = withAccountOptions(new CliCommand('members'))
    .summary('list the members of a tenant with their roles, oldest first')
    .argument('<tenant>', 'tenant id or name')
    .runs(
      ([tenant = ''], options, fault) => ({ ...readAccountSettings(options, fault), tenant }),
      ({ tenant, ...settings }) => runOperator(settings, io, ({ listMembers }, calls) => listMembers(calls, tenant)),
      onExitCode,
    );
  const makeOwner = withAccountOptions(new CliCommand('make-owner'))
    .summary('make an account an owner of its tenant, for example if the only owner is gone')
    .argument('<email>', 'email of the account')
    .runs(
      ([email = ''], options, fault) => ({ ...readAccountSettings(options, fault), email }),
      ({ email, ...settings }) => runOperator(settings, io, (operations, calls) => operations.makeOwner(calls, email)),
      onExitCode,
    );
  return new CliCommand('tenant')
    .summary('disable or enable a tenant, list its members, make an owner, or remove a second factor')
    .addCommand(members)
    .addCommand(makeOwner)
    .addCommand(switching('disable', true, 'disable all of its keys and end its sessions permanently'))
    .addCommand(switching('enable', false, 'enable its keys again'))
    .addCommand(removeFactor);
}
