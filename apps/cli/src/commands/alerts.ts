import { CliCommand } from '../arguments/cli-command';
import { readRehearsalSettings, rehearse, type RehearsalSettings } from '../alerts/rehearse';
import type { ExitCode } from '../cli-error';
import { withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';

/** `alerts rehearse`. */
export function alertsCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const rehearsal = withClientOptions(new CliCommand('rehearse'))
    .summary('try a rule on what has happened')
    .description(
      'Runs rules over stored packets by the code that runs live: how often each would have fired, recovered and flapped. At most 7 days.',
    )
    .argument('[symbols...]', 'one symbol or several')
    .option('--rule <json>', 'a rule, as an alert takes it')
    .option('--rules <file>', 'a file with one rule or a list of them')
    .option('--from <time>', 'start, inclusive; without it, 24 hours before the end')
    .option('--to <time>', 'end, exclusive; without it, now')
    .option('--notices', 'when each would have been sent, in place of how often')
    .addHelpText(
      'after',
      '\nExample:\n' +
        `  $ market-state alerts rehearse SIMUSD-PERP --rule '{"kind":"state_is","params":{"states":["fragile_depth_watch"]}}' --notices\n`,
    )
    .runs<RehearsalSettings>(readRehearsalSettings, (settings) => rehearse(settings, io), onExitCode);
  return new CliCommand('alerts').summary('rules, tried on what has happened').addCommand(rehearsal);
}
