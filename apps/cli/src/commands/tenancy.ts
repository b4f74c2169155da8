import { plans } from '@market-state/pricing';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { choiceOption, instantOption, numberOption, type Options, SCOPE_WORDS, scopesOption, textOption } from '../arguments/values';
import {
  approveOrder,
  auditLedger,
  createTenant,
  giveCredits,
  issueKey,
  listKeys,
  listMembers,
  listOrders,
  listTenants,
  makeClaimToken,
  makeOwner,
  ORDER_WORDS,
  removeSecondFactor,
  revokeKey,
  setPlan,
  setTenantDisabled,
  type WantedPlan,
} from '../operator/operations';
import { type AccountCalls, type OperatorResult, operatorCommand } from '../operator/operator-command';

/** Maximum of an unsigned 32-bit integer. */
const CREDITS_MAX = 4_294_967_295;

function creditsOption(options: Options, name: string, fault: Fault): number | undefined {
  return numberOption(options, name, { min: 0, max: CREDITS_MAX, integer: true }, fault);
}

/** Command about one thing, such as a tenant, that its only argument names. */
function commandOf(
  name: string,
  [argument, description]: readonly [string, string],
  summary: string,
  work: (calls: AccountCalls, named: string) => Promise<OperatorResult>,
): CliCommand {
  return operatorCommand(new CliCommand(name).argument(argument, description), summary, ([named = '']) => named, work);
}

const TENANT = ['<tenant>', 'tenant id or name'] as const;
const EMAIL = ['<email>', 'email of the account'] as const;

/** `keys list`, `keys issue` and `keys revoke`. */
export function keysCommand(): CliCommand {
  const issue = operatorCommand(
    new CliCommand('issue'),
    'issue a live key for a tenant and print it to stdout; it is shown only once',
    ([tenant = ''], options, fault) => ({
      tenant,
      name: textOption(options, 'name') ?? '',
      scopes: scopesOption(options, fault),
      expiresMs: instantOption(options, 'expires', fault),
    }),
    issueKey,
  )
    .argument(...TENANT)
    .option('--name <name>', 'key name shown to the tenant', 'key')
    .option('--scopes <list>', 'comma-separated scopes of the key', SCOPE_WORDS.join(','))
    .option('--expires <time>', 'expiry as UTC time, epoch milliseconds or relative, such as +30d (default: never)')
    .addHelpText('after', '\nExample:\n  $ market-state admin keys issue demo --name notebook --scopes read,export\n');
  const revoke = operatorCommand(
    new CliCommand('revoke').argument('<key>', 'key id: key_…'),
    'revoke a key immediately',
    ([keyId = ''], _options, fault) => {
      if (!/^key_[0-9a-z]{26}$/.test(keyId))
        fault('pass a key id (key_…), not the key itself; "market-state admin keys list" shows the ids');
      return keyId;
    },
    revokeKey,
  );
  return new CliCommand('keys')
    .summary('manage the keys of a tenant')
    .addCommand(commandOf('list', TENANT, 'list a tenant’s keys, newest first', listKeys))
    .addCommand(issue)
    .addCommand(revoke);
}

export function claimTokenCommand(): CliCommand {
  const summary = 'print a one-time token, valid for 24 hours, that links an account to a tenant; it is shown only once';
  return commandOf('claim-token', TENANT, summary, makeClaimToken);
}

const planIds = plans.map(({ planId }) => planId).join(', ');

function withPlanOptions(command: CliCommand): CliCommand {
  return command
    .option('--renewal <word>', 'how often credits are granted: monthly, daily or none', 'monthly')
    .option('--market-state <number>', 'market-state credits per period, for contract plans')
    .option('--export <number>', 'export credits per period, for contract plans');
}

function readPlan(planId: string, options: Options, fault: Fault): WantedPlan {
  return {
    planId,
    renewal: choiceOption(options, 'renewal', ['monthly', 'daily', 'none'], fault),
    marketStateCredits: creditsOption(options, 'marketState', fault),
    exportCredits: creditsOption(options, 'export', fault),
  };
}

export function planCommand(): CliCommand {
  const set = operatorCommand(
    withPlanOptions(new CliCommand('set')),
    'change a tenant’s plan and grant the credits of its first period',
    ([tenant = '', planId = ''], options, fault) => ({
      tenant,
      plan: { ...readPlan(planId, options, fault), endSubscription: options['endSubscription'] === true },
    }),
    (calls, { tenant, plan }) => setPlan(calls, tenant, plan),
  )
    .argument(...TENANT)
    .argument('<plan>', planIds.replace(/, ([^,]+)$/, ' or $1'))
    .option(
      '--end-subscription',
      'end the tenant’s paid subscription immediately and credit the unused part; without it, a plan with a subscription stays unchanged',
    )
    .addHelpText('after', '\nExample:\n  $ market-state admin plan set acme enterprise --market-state 20000000 --export 100000\n');
  return new CliCommand('plan').summary('change the plan of a tenant').addCommand(set);
}

/** `tenants list` and `tenants create`. */
export function tenantsCommand(): CliCommand {
  const summary = 'list all tenants with their plans and credits, oldest first';
  const list = operatorCommand(new CliCommand('list'), summary, () => undefined, listTenants);
  const create = operatorCommand(
    withPlanOptions(new CliCommand('create')),
    'create a tenant',
    ([name = ''], options, fault) => {
      const planId = textOption(options, 'plan');
      return { name, plan: planId === undefined ? undefined : readPlan(planId, options, fault) };
    },
    (calls, { name, plan }) => createTenant(calls, name, plan),
  )
    .argument('<name>', '1 to 100 characters')
    .option('--plan <id>', 'plan of the tenant (default: none)')
    .addHelpText('after', '\nExample:\n  $ market-state admin tenants create "Acme Research" --plan public_research\n');
  return new CliCommand('tenants').summary('list and create tenants').addCommand(list).addCommand(create);
}

/** `tenant members`, `make-owner`, `disable`, `enable` and `remove-second-factor`. */
export function tenantCommand(): CliCommand {
  const switching = (name: string, disabled: boolean, summary: string): CliCommand =>
    commandOf(name, TENANT, summary, (calls, tenant) => setTenantDisabled(calls, tenant, disabled));
  const [ownerSummary, factorSummary] = [
    'make an account an owner of its tenant, for example if the only owner is gone',
    'turn off two-factor authentication of an account whose owner lost it',
  ];
  return new CliCommand('tenant')
    .summary('disable or enable a tenant, list its members, make an owner, or remove a second factor')
    .addCommand(commandOf('members', TENANT, 'list the members of a tenant with their roles, oldest first', listMembers))
    .addCommand(commandOf('make-owner', EMAIL, ownerSummary, makeOwner))
    .addCommand(switching('disable', true, 'disable all of its keys and end its sessions permanently'))
    .addCommand(switching('enable', false, 'enable its keys again'))
    .addCommand(commandOf('remove-second-factor', EMAIL, factorSummary, removeSecondFactor));
}

export function grantCommand(): CliCommand {
  return operatorCommand(
    new CliCommand('grant'),
    'add credits to a tenant on top of its plan',
    ([tenant = ''], options, fault) => {
      const marketStateCredits = creditsOption(options, 'marketState', fault) ?? 0;
      const exportCredits = creditsOption(options, 'export', fault) ?? 0;
      if (textOption(options, 'marketState') === undefined && textOption(options, 'export') === undefined)
        fault('--market-state or --export is required');
      const expiresMs = instantOption(options, 'expires', fault);
      return { tenant, marketStateCredits, exportCredits, expiresMs, note: textOption(options, 'note') ?? '' };
    },
    giveCredits,
  )
    .argument(...TENANT)
    .option('--market-state <number>', 'market-state credits')
    .option('--export <number>', 'export credits')
    .option('--expires <time>', 'expiry as UTC time, epoch milliseconds or relative, such as +30d (default: never)')
    .requiredOption('--note <text>', 'reason recorded in the ledger')
    .addHelpText('after', '\nExample:\n  $ market-state admin grant demo --market-state 50000 --note "outage of 3 May"\n');
}

/** `billing list` and `billing approve`. */
export function billingCommand(): CliCommand {
  const list = operatorCommand(
    new CliCommand('list'),
    'list orders awaiting approval or payment, oldest first',
    (_operands, options, fault) => ({
      tenant: textOption(options, 'tenant'),
      status: choiceOption(options, 'status', ORDER_WORDS, fault),
    }),
    listOrders,
  )
    .option('--tenant <tenant>', 'only orders of this tenant, by id or name')
    .option('--status <word>', `${ORDER_WORDS.slice(0, -1).join(', ')} or all`, 'open')
    .addHelpText('after', '\nExample:\n  $ market-state admin billing list --tenant acme --status all\n');
  const approveSummary = 'fulfil an order from the offline provider, which takes no payment';
  return new CliCommand('billing')
    .summary('list and approve orders')
    .addCommand(list)
    .addCommand(commandOf('approve', ['<order>', 'order id: ord_…'], approveSummary, approveOrder));
}

export function ledgerCommand(): CliCommand {
  const audit = operatorCommand(
    new CliCommand('audit'),
    'recompute every balance from its entries and compare',
    (_operands, options) => textOption(options, 'tenant'),
    auditLedger,
  )
    .description(
      'Recomputes every balance from its ledger entries and compares it with the stored one.\nExits with 0 if all are equal, 1 ' +
        'if any differs, 3 if some could not be compared.',
    )
    .option('--tenant <tenant>', 'only this tenant, by id or name');
  return new CliCommand('ledger').summary('audit the credit ledger').addCommand(audit);
}
