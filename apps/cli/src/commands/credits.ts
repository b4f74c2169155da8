import { CliCommand } from '../arguments/cli-command';
import { textOption, choiceOption, instantOption } from '../arguments/values';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readAccountSettings, withAccountOptions, creditsOption, ORDER_WORDS } from '../operator/options';
import { runOperator } from '../operator/run-operator';

export function grantCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withAccountOptions(new CliCommand('grant'))
    .summary('add credits to a tenant on top of its plan')
    .argument('<tenant>', 'tenant id or name')
    .option('--market-state <number>', 'market-state credits')
    .option('--export <number>', 'export credits')
    .option('--expires <time>', 'expiry as UTC time, epoch milliseconds or relative, such as +30d (default: never)')
    .requiredOption('--note <text>', 'reason recorded in the ledger')
    .addHelpText('after', '\nExample:\n  $ market-state admin grant demo --market-state 50000 --note "outage of 3 May"\n')
    .runs(
      ([tenant = ''], options, fault) => {
        const marketStateCredits = creditsOption(options, 'marketState', 'market-state', fault) ?? 0;
        const exportCredits = creditsOption(options, 'export', 'export', fault) ?? 0;
        if (textOption(options, 'marketState') === undefined && textOption(options, 'export') === undefined)
          fault('--market-state or --export is required');
        const gift = {
          tenant,
          marketStateCredits,
          exportCredits,
          expiresMs: instantOption(options, 'expires', fault),
          note: textOption(options, 'note') ?? '',
        };
        return { ...readAccountSettings(options, fault), gift };
      },
      ({ gift, ...settings }) => runOperator(settings, io, ({ giveCredits }, calls) => giveCredits(calls, gift)),
      onExitCode,
    );
}

/** `billing list` and `billing approve`. */
export function billingCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const list = withAccountOptions(new CliCommand('list'))
    .summary('list orders awaiting approval or payment, oldest first')
    .option('--tenant <tenant>', 'only orders of this tenant, by id or name')
    .option('--status <word>', `${ORDER_WORDS.slice(0, -1).join(', ')} or all`, 'open')
    .addHelpText('after', '\nExample:\n  $ market-state admin billing list --tenant acme --status all\n')
    .runs(
      (_operands, options, fault) => ({
        ...readAccountSettings(options, fault),
        filter: { tenant: textOption(options, 'tenant'), status: choiceOption(options, 'status', ORDER_WORDS, fault) },
      }),
      ({ filter, ...settings }) => runOperator(settings, io, ({ listOrders }, calls) => listOrders(calls, filter)),
      onExitCode,
    );

  const approve = withAccountOptions(new CliCommand('approve'))
    .summary('fulfil an order from the offline provider, which takes no payment')
    .argument('<order>', 'order id: ord_…')
    .runs(
      ([orderId = ''], options, fault) => ({ ...readAccountSettings(options, fault), orderId }),
      ({ orderId, ...settings }) => runOperator(settings, io, ({ approveOrder }, calls) => approveOrder(calls, orderId)),
      onExitCode,
    );
  return new CliCommand('billing').summary('list and approve orders').addCommand(list).addCommand(approve);
}

export function ledgerCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const audit = withAccountOptions(new CliCommand('audit'))
    .summary('recompute every balance from its entries and compare')
    .description(
      'Recomputes every balance from its ledger entries and compares it with the stored one.\nExits with 0 if all are equal, 1 ' +
        'if any differs, 3 if some could not be compared.',
    )
    .option('--tenant <tenant>', 'only this tenant, by id or name')
    .runs(
      (_operands, options, fault) => ({ ...readAccountSettings(options, fault), tenant: textOption(options, 'tenant') }),
      ({ tenant, ...settings }) => runOperator(settings, io, ({ auditLedger }, calls) => auditLedger(calls, tenant)),
      onExitCode,
    );
  return new CliCommand('ledger').summary('audit the credit ledger').addCommand(audit);
}
