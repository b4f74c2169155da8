import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { tail } from '../streams/tail';
import { readTailSettings, type TailSettings, withTailOptions } from '../streams/tail-settings';

/** `tail`: packets or rows as they come. */
export function tailCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withTailOptions(new CliCommand('tail'))
    .summary('packets or rows as they come')
    .description(
      'Follows packets of all symbols or of those named, in short, or rows of --channels, until Ctrl-C, --until-state or the credits of ' +
        '--max-credits end it. It goes on after cuts and restarts of the service with nothing lost or repeated. The id to go on from is ' +
        'the last but one line on stderr. 100 messages cost a credit.',
    )
    .argument('[symbols...]', 'at most 20; without them all, for rows the first of the catalog')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state tail --changes-only\n' +
        '  $ market-state tail BTCUSD-PERP --channels trades,liquidations --output csv\n' +
        '  $ market-state tail SIMUSD-PERP --until-state fragile_depth_watch && ./notify\n',
    )
    .runs<TailSettings>(readTailSettings, (settings) => tail(settings, io), onExitCode);
}
