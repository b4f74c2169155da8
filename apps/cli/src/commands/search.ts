import { CliCommand } from '../arguments/cli-command';
import { textOption } from '../arguments/values';
import type { ExitCode } from '../cli-error';
import { withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { packetConditions, withPacketConditions } from '../reads/packet-conditions';
import { SEARCH } from '../reads/reads';
import { runRead } from '../reads/run-read';
import { readReadSettings, type ReadSettings, withReadOptions } from '../reads/settings';

/** Rows of a search that names no limit: all stored packets may meet its conditions. */
const LIMIT = '100';

/** `search`: packets that meet conditions. */
export function searchCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const command = withPacketConditions(withReadOptions(new CliCommand('search'), [SEARCH]), [
    'state',
    'eventClass',
    'eventProfile',
    'severity',
    'tag',
  ]);
  return withClientOptions(command)
    .summary('packets that meet every condition, newest first')
    .description(`Searches all stored packets, of every symbol unless one is named. Without --limit, the newest ${LIMIT}.`)
    .argument('[words]', 'words that must all occur in the state, the tags or the reasons')
    .option('--symbol <symbol>', 'of this symbol only')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state search --state fragile_depth_watch --severity critical_context\n' +
        "  $ market-state search 'funding crowded' --symbol BTCUSD-PERP --limit 20\n",
    )
    .runs<ReadSettings>(
      (operands, options, fault) => {
        const [words, ...more] = operands;
        if (more.length > 0) fault('several words are one argument: put them in quotes');
        const of = textOption(options, 'symbol');
        const settings = readReadSettings(SEARCH, of === undefined ? ['ALL'] : [of], { limit: LIMIT, ...options }, fault);
        const q = words === undefined ? {} : { q: words };
        return { ...settings, params: { ...settings.params, ...q, ...packetConditions(options) } };
      },
      (settings) => runRead(settings, io),
      onExitCode,
    );
}
