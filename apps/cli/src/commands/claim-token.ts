import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readAccountSettings, withAccountOptions } from '../operator/account-settings';
import { runOperator } from '../operator/run-operator';

/** `claim-token`. */
export function claimTokenCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withAccountOptions(new CliCommand('claim-token'))
    .summary('a token that binds an account to a tenant, once, within 24 h; printed alone on stdout, only this once')
    .argument('<tenant>', 'its id or name')
    .runs(
      ([tenant = ''], options, fault) => ({ ...readAccountSettings(options, fault), tenant }),
      ({ tenant, ...settings }) => runOperator(settings, io, ({ makeClaimToken }, calls) => makeClaimToken(calls, tenant)),
      onExitCode,
    );
}
