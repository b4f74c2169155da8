import { resolve } from 'node:path';
import { feed } from '@market-state/contracts';
import { isServiceError, type ServiceError } from '@market-state/errors';
import { CliCommand } from '../arguments/cli-command';
import { addressOption, textOption } from '../arguments/values';
import { badInput, type CliError, EXIT, type ExitCode, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readEndpointsFile } from '../io/text-file';
import { count, counted, instant } from '../io/instant';
import { columnNames, COLUMNS_OPTION, type Chosen, INSTRUMENT_OPTION, readChosen, readDescription } from '../io/open-files';
import { fromServiceError, operatorClient, operatorIdentity } from '../operator/service-client';
import { createProgress } from '../io/progress';
import { readResultFormat, type ResultFormat, withResultOption, writeResult } from '../output/settings';

/** All files are read once before the first progress. */
const DEADLINE_MS = 86_400_000;

interface ImportSettings extends Chosen {
  readonly files: readonly string[];
  readonly feed?: string;
  readonly dataDir?: string;
  readonly format: ResultFormat;
}

export function importCommand(): CliCommand {
  return withResultOption(new CliCommand('import'))
    .summary('import archives into a running system: rows and packets at their own times')
    .description(
      'Writes archives or recordings to the log of a symbol that no live feed writes: FEED=import, SYMBOLS=<symbol>. Rows, packets and ' +
        'archive files are made as for a live symbol, with the times of the files; packets equal those of market-state label.\n' +
        'Interrupted, the same command continues after the last entry. Later files follow behind a feed_down gap; files that start before ' +
        'the log ends are refused. The feed reads the files, so they must be on its machine.',
    )
    .argument('<files...>', 'archives of one instrument in a known format, files of a kind in time order')
    .requiredOption('--symbol <symbol>', 'symbol to import')
    .option(...INSTRUMENT_OPTION)
    .option(...COLUMNS_OPTION)
    .option('--feed <host:port>', 'address of the feed that serves the symbol (default: the running system in the data folder)')
    .option('--data-dir <folder>', 'data folder of the running system')
    .addHelpText('after', '\nExample:\n  $ market-state import archive/*.csv.gz --symbol BTCUSD-PERP\n')
    .runs<ImportSettings>(
      (files, options, fault) => ({
        files,
        ...readChosen(options, fault),
        feed: addressOption(options, 'feed', fault),
        dataDir: textOption(options, 'dataDir'),
        format: readResultFormat(options, fault),
      }),
      importArchives,
    );
}

async function importArchives(settings: ImportSettings, io: CliIo): Promise<ExitCode> {
  const { symbol = '', files, instrument, columns, dataDir } = settings;
  const request = {
    symbol,
    files: files.map((file) => resolve(io.cwd, file)),
    instrument: instrument === undefined ? '' : (await readDescription(instrument, io.cwd)).text,
    columns: Object.fromEntries(columnNames(columns) ?? []),
  };
  const address = settings.feed ?? (await addressOfFeed(dataDir ?? io.dataDir, io));
  const peer = operatorIdentity(io, dataDir, [address]).to('data-plane-feed');
  const client = operatorClient(feed.FeedServiceService, address, peer, DEADLINE_MS);
  using progress = createProgress(io);
  try {
    let last: feed.ImportArchiveResponse | undefined;
    for await (last of client.call.importArchive(request, { signal: io.signal })) {
      const current = last;
      progress.report(() => `${symbol}: ${progressOf(current)}`);
    }
    progress.end();
    if (last?.complete !== true) throw incomplete(`${symbol}: the import ended early. Run the same command to continue.`);
    report(last, settings, io);
    return EXIT.done;
  } catch (error) {
    throw isServiceError(error) && !io.signal.aborted ? toCliError(error, settings, address) : error;
  } finally {
    await client.close();
  }
}

async function addressOfFeed(dataDir: string, io: CliIo): Promise<string> {
  return (await readEndpointsFile(io.cwd, dataDir, ['feed'], 'its feed with --feed host:port')).feed;
}

function progressOf({ firstMs, lastMs, reachedMs, lastOrdinal }: feed.ImportArchiveResponse): string {
  if (firstMs === 0) return 'reading the files';
  if (reachedMs < firstMs) return 'looking for the end of the log in the files';
  const share = Math.min(100, Math.floor((100 * (reachedMs - firstMs)) / Math.max(1, lastMs - firstMs)));
  return `${count(lastOrdinal)} entries, at ${instant(reachedMs)}, ${share} %`;
}

function report(
  { lastOrdinal, firstMs, lastMs, rejectedTotal }: feed.ImportArchiveResponse,
  { symbol, format }: ImportSettings,
  io: CliIo,
): void {
  const result = {
    symbol,
    first_received_utc: instant(firstMs),
    last_received_utc: instant(lastMs),
    last_ordinal: lastOrdinal,
    rejected_total: rejectedTotal,
  };
  const sentence = `${symbol}: imported ${instant(firstMs)} to ${instant(lastMs)}; the log has ${counted(lastOrdinal, 'entry', 'entries')}.`;
  const rejected = Object.entries(rejectedTotal).map(([reason, total]) => `${reason} ${count(total)}`);
  writeResult(io, format, result, [sentence, ...(rejected.length === 0 ? [] : [`Not used: ${rejected.join(', ')}.`])]);
}

function toCliError(error: ServiceError, { symbol = '' }: ImportSettings, address: string): CliError {
  if (error.reason === 'unknown_symbol')
    return badInput(
      error.message,
      `To import it, start a system with FEED=import SYMBOLS=${symbol} and its own data folder (DATA_DIR=<folder>), then pass ` +
        '--data-dir <folder>.',
    );
  return error.reason === 'import_refused' ? badInput(error.message) : fromServiceError(error, `Feed: ${address}.`);
}
