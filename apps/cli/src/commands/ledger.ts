import { CliCommand } from '../arguments/cli-command';
import { textOption } from '../arguments/values';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readAccountSettings, withAccountOptions } from '../operator/account-settings';
import { runOperator } from '../operator/run-operator';

/** `ledger audit`. */
export function ledgerCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const audit = withAccountOptions(new CliCommand('audit'))
    .summary('compute every balance again from its entries and compare')
    .description(
      'Computes every balance again from the entries of the ledger and compares it with the stored one.\nExits with 0 if all are equal, 1 ' +
        'if any differs, 3 if not all could be compared.',
    )
    .option('--tenant <tenant>', 'only this tenant: its id or name')
    .runs(
      (_operands, options, fault) => ({ ...readAccountSettings(options, fault), tenant: textOption(options, 'tenant') }),
      ({ tenant, ...settings }) => runOperator(settings, io, ({ auditLedger }, calls) => auditLedger(calls, tenant)),
      onExitCode,
    );
  return new CliCommand('ledger').summary('prove the ledger of credits').addCommand(audit);
}
