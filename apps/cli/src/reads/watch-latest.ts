import type { Params } from '@market-state/client';
import { EXIT, type ExitCode } from '../cli-error';
import { dryRun, runClient, type Session } from '../client/run-client';
import type { CliIo } from '../io/cli-io';
import { type LineOutput, withLiveOutput } from '../io/line-output';
import { createRowWriter, type Row, tableLines, withRowWriter } from '../output/row-writer';
import { formatOf } from '../output/settings';
import { codeOfEnd, createConnectionReporter } from '../streams/ends';
import { listIn } from './read';
import type { ReadSettings } from './settings';

const HOME_AND_CLEAR = '\u001b[H\u001b[J';

type Show = (rows: readonly Row[], changed: readonly Row[]) => Promise<boolean>;

/**
 * Newest packets, updated at each packet: a terminal shows one table in place; a pipe or another format gets each new
 * packet as a row.
 */
export function watchLatest(settings: ReadSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const { operation, params } = settings;
    if (settings.isDryRun) return dryRun(session, { operation, params }, settings, io);
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
