import { rowLine, type MarketEvent, type FeedStatus } from '@market-state/market-data';
import { CliCommand } from '../arguments/cli-command';
import { choiceOption, textOption } from '../arguments/values';
import { EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { COLUMNS_OPTION, INSTRUMENT_OPTION, type Chosen, openFiles, readChosen } from '../io/open-files';
import { count } from '../io/instant';
import { withOutput } from '../io/line-output';
import { createProgress } from '../io/progress';
import { tableHead, tableLine, type Column } from '../io/table';

const COLUMNS: readonly Column[] = [
  { title: 'ordinal', width: 9, right: true },
  { title: 'exchange time', width: 24 },
  { title: 'kind', width: 11 },
  { title: 'venue id', width: 20 },
  { title: 'what', width: 0 },
];

function eventTableHead(): string {
  return tableHead(COLUMNS);
}

/** A book shows only its best prices. */
function eventTableLine(event: MarketEvent): string {
  return tableLine(COLUMNS, [String(event.ordinal), new Date(event.exchangeTsMs).toISOString(), event.kind, event.venueId, whatOf(event)]);
}

function whatOf(event: MarketEvent): string {
  switch (event.kind) {
    case 'book': {
      const [bid] = event.bids;
      const [ask] = event.asks;
      return (
        `${bid?.size ?? ''} @ ${bid?.price ?? ''} | ${ask?.price ?? ''} @ ${ask?.size ?? ''} (${event.bids.length} + ` +
        `${event.asks.length} levels)`
      );
    }
    case 'trade':
      return `${event.aggressorSide} ${event.size} @ ${event.price}`;
    case 'context':
      return `funding ${event.fundingRate ?? '-'}, open interest ${event.openInterest ?? '-'}, mark ${event.markPrice ?? '-'}`;
    case 'liquidation':
      return `${event.positionSide} ${event.size} @ ${event.price} (${event.provenance})`;
    case 'tick':
      return '';
    case 'feed_status':
      return statusText(event.status);
  }
}

function statusText(status: FeedStatus): string {
  switch (status.type) {
    case 'connected':
      return `connected, ${status.sourceKind}: ${status.channels.join(', ')}`;
    case 'disconnected':
      return `disconnected: ${status.reason}`;
    case 'gap':
    case 'resynced':
    case 'seam':
      if (status.type === 'gap' && status.reason === 'arrived_late') return `gap ${status.gapId} withdrawn: the missing data arrived late`;
      return `${status.type} ${status.gapId}, ${status.startMs} to ${status.endMs === 0 ? 'open' : String(status.endMs)}`;
  }
}

export const FORMATS = ['ndjson', 'table', 'json'] as const;
type Format = (typeof FORMATS)[number];

interface RowsSettings extends Chosen {
  readonly files: readonly string[];
  readonly out?: string;
  readonly format: Format;
}

export function rowsCommand(): CliCommand {
  return new CliCommand('rows')
    .summary('convert a recording to market_state_row.v1 lines')
    .description(
      'Normalizes recordings and writes the event log that the labeler reads, one market_state_row.v1 line per entry, including ticks ' +
        'and feed status.',
    )
    .argument('<files...>', 'recordings in a known format')
    .option('--symbol <symbol>', 'symbol to extract; required if the files have several')
    .option(...INSTRUMENT_OPTION)
    .option(...COLUMNS_OPTION)
    .outputOption('output format: ndjson, table or json (one list)', FORMATS, 'ndjson')
    .option('--out <file>', 'write to this file instead of stdout')
    .addHelpText('after', '\nExample:\n  $ market-state rows btcusd_perp_20240808.gz btcusd_perp_20240809.gz --out rows.ndjson\n')
    .runs<RowsSettings>(
      (files, options, fault) => ({
        files,
        ...readChosen(options, fault),
        out: textOption(options, 'out'),
        format: choiceOption(options, 'output', FORMATS, fault),
      }),
      async ({ files, out, format, ...chosen }, io) => writeRows((await openFiles(files, chosen, io)).events, format, out, io),
    );
}

export async function writeRows(
  batches: AsyncIterable<readonly MarketEvent[]>,
  format: Format,
  out: string | undefined,
  io: CliIo,
): Promise<ExitCode> {
  using progress = createProgress(io);
  let total = 0;
  return await withOutput(
    io,
    out,
    async (output) => {
      if (format === 'table') await output.write(eventTableHead());
      for await (const events of batches) {
        if (!(await output.write(...events.map(format === 'table' ? eventTableLine : rowLine)))) return EXIT.done;
        total += events.length;
        progress.report(() => `${count(total)} rows`);
      }
      return EXIT.done;
    },
    format === 'json',
  );
}
