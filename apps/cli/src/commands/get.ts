import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import { withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { READS } from '../reads/reads';
import { runRead } from '../reads/run-read';
import { readGetSettings, type ReadSettings, withReadOptions } from '../reads/settings';

/** `get`: one thing of the service. */
export function getCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const width = Math.max(...Object.keys(READS).map((what) => what.length));
  const list = Object.entries(READS).map(([what, { summary }]) => `  ${what.padEnd(width)}  ${summary}`);
  return withClientOptions(withReadOptions(new CliCommand('get'), Object.values(READS)))
    .summary('packets, rows and what is known of them, now')
    .description(
      'Gets one thing, or any path of the service that answers a GET:\n' +
        `${list.join('\n')}\n` +
        'Exits with 6 where what is of now is stale, or its evidence does not suffice.',
    )
    .argument('<what>', 'one of these words, or a path: /api/…?…')
    .argument('[of]', 'a symbol, ALL, or an event id')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state get latest\n' +
        '  $ market-state get book BTCUSD-PERP --depth 5\n' +
        '  $ market-state get latest ETHUSD-PERP --output json --fields state,severity.score,one_reason\n' +
        "  $ market-state get '/api/public/market-state/status/proof'\n",
    )
    .runs<ReadSettings>(readGetSettings, (settings) => runRead(settings, io), onExitCode);
}
