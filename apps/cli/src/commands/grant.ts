import { CliCommand } from '../arguments/cli-command';
import { instantOption, textOption } from '../arguments/values';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readAccountSettings, withAccountOptions } from '../operator/account-settings';
import { creditsOption } from '../operator/plan-options';
import { runOperator } from '../operator/run-operator';

/** `grant`: credits beside the plan. */
export function grantCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withAccountOptions(new CliCommand('grant'))
    .summary('give a tenant credits in addition to its plan')
    .argument('<tenant>', 'its id or name')
    .option('--market-state <number>', 'market-state credits')
    .option('--export <number>', 'export credits')
    .option('--expires <time>', 'when they expire: UTC time or epoch milliseconds; without it, never')
    .requiredOption('--note <text>', 'why, for the ledger')
    .addHelpText('after', '\nExample:\n  $ market-state grant demo --market-state 50000 --note "outage of 3 May"\n')
    .runs(
      ([tenant = ''], options, fault) => {
        const marketStateCredits = creditsOption(options, 'marketState', 'market-state', fault) ?? 0;
        const exportCredits = creditsOption(options, 'export', 'export', fault) ?? 0;
        if (textOption(options, 'marketState') === undefined && textOption(options, 'export') === undefined)
          fault('option --market-state or --export must be given');
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
