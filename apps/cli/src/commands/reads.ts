import { CliCommand } from '../arguments/cli-command';
import { textOption, type Options } from '../arguments/values';
import type { ExitCode } from '../cli-error';
import { withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { SEARCH, HISTORY, READS } from '../reads/reads';
import { runRead } from '../reads/run-read';
import { readReadSettings, type ReadSettings, withReadOptions, readGetSettings } from '../reads/settings';
import type { Row } from '../output/row-writer';

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

/** What a packet may have to be, by option: parameter, how it is written, and what it says. The service knows the words. */
const CONDITIONS = {
  state: ['state', '--state <state>', 'in this published state'],
  eventClass: ['event_class', '--event-class <class>', 'of this event class'],
  eventProfile: ['event_profile', '--event-profile <profile>', 'of this event profile'],
  severity: ['severity_class', '--severity <class>', 'of this severity class'],
  tag: ['tag', '--tag <tags>', 'with all of these tags, separated by commas'],
} as const;

function withPacketConditions(command: CliCommand, names: readonly (keyof typeof CONDITIONS)[]): CliCommand {
  for (const name of names) command.option(CONDITIONS[name][1], CONDITIONS[name][2]);
  return command;
}

/** The parameters of the conditions that were given. */
function packetConditions(options: Options): Row {
  const given = Object.entries(CONDITIONS).flatMap(([name, [parameter]]) => {
    const text = textOption(options, name);
    return text === undefined ? [] : [[parameter, name === 'tag' ? text.split(',') : text] as const];
  });
  return Object.fromEntries(given);
}

/** `history`: packets of a span. */
export function historyCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withClientOptions(withPacketConditions(withReadOptions(new CliCommand('history'), [HISTORY]), ['state', 'eventClass']))
    .summary('packets of a span, oldest first')
    .description(
      'Packets of a symbol in a span, oldest first; without --from and --to those of the last hour. Pages are paid as they are read.',
    )
    .argument('[symbol]', 'without one, the default symbol of the service')
    .addHelpText(
      'after',
      '\nExample:\n  $ market-state history BTCUSD-PERP --from 2026-03-01T10:00:00Z --to 2026-03-01T11:00:00Z --output csv\n',
    )
    .runs<ReadSettings>(
      (operands, options, fault) => {
        const settings = readReadSettings(HISTORY, operands, options, fault);
        return { ...settings, params: { ...settings.params, ...packetConditions(options) } };
      },
      (settings) => runRead(settings, io),
      onExitCode,
    );
}

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
