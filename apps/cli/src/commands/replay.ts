import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { replay } from '../streams/replay';
import { readReplaySettings, type ReplaySettings, withReplayOptions } from '../streams/replay-settings';

/** `replay`: recorded rows of a span. */
export function replayCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withReplayOptions(new CliCommand('replay'))
    .summary('recorded rows of a span, at any pace')
    .description(
      'Replays the rows of a symbol in the order of its log, gaps among them; of several symbols, merged by when the rows were received. ' +
        'The receipt of the service closes it on stderr, one for each symbol: how many rows there are, how many came, and the digest ' +
        'over them. Exits with 6 where rows are missing. A replay that is interrupted says how to go on with it. 100 messages cost a credit.',
    )
    .argument('[symbol...]', 'at most 20; without one, the default symbol of the service')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state replay BTCUSD-PERP --from 2026-03-01T10:00:00Z --to 2026-03-01T10:05:00Z --max-credits 200 > rows.ndjson\n' +
        '  $ market-state replay SIMUSD-PERP --channels trades --speed 10 --output table\n' +
        '  $ market-state replay BTCUSD-PERP ETHUSD-PERP --channels trades > both.ndjson\n',
    )
    .runs<ReplaySettings>(readReplaySettings, (settings) => replay(settings, io), onExitCode);
}
