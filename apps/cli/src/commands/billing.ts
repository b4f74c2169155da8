import { CliCommand } from '../arguments/cli-command';
import { choiceOption, textOption } from '../arguments/values';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readAccountSettings, withAccountOptions } from '../operator/account-settings';
import { ORDER_WORDS } from '../operator/order-words';
import { runOperator } from '../operator/run-operator';

/** `billing list` and `billing approve`. */
export function billingCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const list = withAccountOptions(new CliCommand('list'))
    .summary('orders that wait for approval or payment, oldest first')
    .option('--tenant <tenant>', 'only this tenant: its id or name')
    .option('--status <word>', `${ORDER_WORDS.slice(0, -1).join(', ')} or all`, 'open')
    .addHelpText('after', '\nExample:\n  $ market-state billing list --tenant acme --status all\n')
    .runs(
      (_operands, options, fault) => ({
        ...readAccountSettings(options, fault),
        filter: { tenant: textOption(options, 'tenant'), status: choiceOption(options, 'status', ORDER_WORDS, fault) },
      }),
      ({ filter, ...settings }) => runOperator(settings, io, ({ listOrders }, calls) => listOrders(calls, filter)),
      onExitCode,
    );

  const approve = withAccountOptions(new CliCommand('approve'))
    .summary('fulfil an order of the offline provider, which takes no payment')
    .argument('<order>', 'its id: ord_…')
    .runs(
      ([orderId = ''], options, fault) => ({ ...readAccountSettings(options, fault), orderId }),
      ({ orderId, ...settings }) => runOperator(settings, io, ({ approveOrder }, calls) => approveOrder(calls, orderId)),
      onExitCode,
    );
  return new CliCommand('billing').summary('list and approve orders').addCommand(list).addCommand(approve);
}
