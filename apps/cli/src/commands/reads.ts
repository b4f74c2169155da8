import type { Params } from '@market-state/client';
import { CliCommand } from '../arguments/cli-command';
import { EXIT, type ExitCode } from '../cli-error';
import { runCall, type Session } from '../client/run-client';
import { withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { type LineOutput, withLiveOutput } from '../io/line-output';
import { createRowWriter, type Row, tableLines, withRowWriter } from '../output/row-writer';
import { formatOf } from '../output/settings';
import { listIn } from '../reads/read';
import { packetConditions, withPacketConditions } from '../reads/packet-conditions';
import { HISTORY, READS } from '../reads/reads';
import { runRead } from '../reads/run-read';
import { type GetSettings, readGetSettings, readReadSettings, type ReadSettings, withReadOptions } from '../reads/settings';
import { codeOfEnd, createConnectionReporter } from '../streams/ends';

export function getCommand(): CliCommand {
  const width = Math.max(...Object.keys(READS).map((what) => what.length));
  const list = Object.entries(READS).map(([what, { summary }]) => `  ${what.padEnd(width)}  ${summary}`);
  return withClientOptions(withReadOptions(new CliCommand('get'), Object.values(READS)))
    .option('--watch', 'with latest: show it again at each new packet, until Ctrl-C')
    .summary('read current packets, rows and metadata')
    .description(
      'Reads one resource, or any GET path of the service:\n' +
        `${list.join('\n')}\n` +
        'Exits with 6 if current data is stale or lacks evidence.',
    )
    .argument('<what>', 'resource from the list, or a path: /api/…?…')
    .argument('[of]', 'symbol, ALL, or event id')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state get latest\n' +
        '  $ market-state get latest --watch\n' +
        '  $ market-state get book BTCUSD-PERP --depth 5\n' +
        '  $ market-state get latest ETHUSD-PERP --output json --fields state,severity.score,one_reason\n' +
        "  $ market-state get '/api/public/market-state/status/proof'\n",
    )
    .runs<GetSettings>(readGetSettings, ({ isWatched, ...settings }, io) => (isWatched ? watchLatest : runRead)(settings, io));
}

export function historyCommand(): CliCommand {
  return withClientOptions(withPacketConditions(withReadOptions(new CliCommand('history'), [HISTORY]), ['state', 'eventClass']))
    .summary('list the packets of a span, oldest first')
    .description('Lists the packets of a symbol, oldest first (default: the last hour). Each page is charged as it is read.')
    .argument('[symbol]', 'symbol (default: the service’s default symbol)')
    .addHelpText(
      'after',
      '\nExample:\n  $ market-state history BTCUSD-PERP --from 2026-03-01T10:00:00Z --to 2026-03-01T11:00:00Z --output csv\n',
    )
    .runs<ReadSettings>((operands, options, fault) => {
      const settings = readReadSettings(HISTORY, operands, options, fault);
      return { ...settings, params: { ...settings.params, ...packetConditions(options) } };
    }, runRead);
}

const HOME_AND_CLEAR = '\u001b[H\u001b[J';

type Show = (rows: readonly Row[], changed: readonly Row[]) => Promise<boolean>;

/** A terminal shows one table in place; a pipe or another format gets each new packet as a row. */
function watchLatest(settings: ReadSettings, io: CliIo): Promise<ExitCode> {
  return runCall(io, settings, settings, async (session) => {
    const format = formatOf(settings, io.stdout);
    const columns = settings.fields ?? settings.read.columns ?? [];
    return withLiveOutput(io, (output) => {
      if (format === 'table' && io.stdout.isTTY === true) return follow(session, settings, io, screen(output, columns, io));
      const writer = createRowWriter(output, { format, columns, areChosen: settings.fields !== undefined, isLive: true });
      return withRowWriter(writer, () =>
        follow(session, settings, io, async (_rows, changed) => {
          for (const row of changed) if (!(await writer.write(row))) return false;
          return true;
        }),
      );
    });
  });
}

function screen(output: LineOutput, columns: readonly string[], io: CliIo): Show {
  return (rows) => {
    const lines = tableLines(rows, columns, output.isStyled).slice(0, (io.stdout.rows ?? Number.POSITIVE_INFINITY) - 2);
    return output.write(`${HOME_AND_CLEAR}${lines.join('\n')}`, 'Ctrl-C ends.');
  };
}

async function follow({ ms, access, say }: Session, { params }: ReadSettings, io: CliIo, show: Show): Promise<ExitCode> {
  const { signal } = io;
  const symbol = String(params['symbol']);
  try {
    const { data } = await ms.latest.get(params as Params<'getLatest'>, { signal });
    const rows = new Map(listIn({ ...data }, 'rows').map((row) => [String(row['symbol']), row]));
    if (!(await show([...rows.values()], [...rows.values()]))) return EXIT.done;
    const options = { signal, maxCredits: Math.max(1, ms.budgetLeft ?? 1), onConnection: createConnectionReporter({ access, say }) };
    for await (const message of ms.stream.packets({ symbols: [symbol], view: 'compact' }, options)) {
      if (message.type === 'end') {
        say(`the service ended the stream: ${message.code}`);
        return codeOfEnd(message.code);
      }
      if (message.type !== 'packet') continue;
      const row = message.data as unknown as Row;
      if (rows.get(message.symbol)?.['event_id'] === row['event_id']) continue;
      rows.set(message.symbol, row);
      if (!(await show([...rows.values()], [row]))) return EXIT.done;
    }
    return EXIT.done;
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    throw error;
  }
}
