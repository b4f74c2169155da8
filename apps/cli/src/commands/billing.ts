import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readAccountSettings, withAccountOptions } from '../operator/account-settings';
import { runOperator } from '../operator/run-operator';

/** `billing approve`. */
export function billingCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const approve = withAccountOptions(new CliCommand('approve'))
    .summary('fulfil an order of the offline provider; no payment is taken by it')
    .argument('<order>', 'its id: ord_…')
    .runs(
      ([orderId = ''], options, fault) => ({ ...readAccountSettings(options, fault), orderId }),
      ({ orderId, ...settings }) => runOperator(settings, io, ({ approveOrder }, calls) => approveOrder(calls, orderId)),
      onExitCode,
    );
  return new CliCommand('billing').summary('approve orders').addCommand(approve);
}
