import { CliCommand } from '../arguments/cli-command';
import { textOption } from '../arguments/values';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readAccountSettings, withAccountOptions } from '../operator/account-settings';
import { runOperator } from '../operator/run-operator';

/** `ledger audit`. */
export function ledgerCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const audit = withAccountOptions(new CliCommand('audit'))
    .summary('compute every balance anew from its entries and compare')
    .description(
      'Computes every balance anew from the entries of the ledger and compares it with what is kept.\nEnds with 0 when all is equal, 1 ' +
        'when something differs, 3 when not all could be compared.',
    )
    .option('--tenant <tenant>', 'of this tenant only: its id or its name')
    .runs(
      (_operands, options, fault) => ({ ...readAccountSettings(options, fault), tenant: textOption(options, 'tenant') }),
      ({ tenant, ...settings }) => runOperator(settings, io, ({ auditLedger }, calls) => auditLedger(calls, tenant)),
      onExitCode,
    );
  return new CliCommand('ledger').summary('prove the ledger of credits').addCommand(audit);
}
