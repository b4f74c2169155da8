import { CliCommand, type Fault } from '../arguments/cli-command';
import { choiceOption, type Options, serviceUrlOption } from '../arguments/values';
import type { ExitCode } from '../cli-error';
import { withService } from '../client/open-service';
import type { CliIo } from '../io/cli-io';
import { ndjsonLine, withOutput } from '../io/line-output';
import { createProgress } from '../io/progress';

const FORMATS = ['table', 'ndjson', 'json'] as const;

interface VerifyExportSettings {
  readonly folder: string;
  /** Service to compare with; absent: only the folder is checked. */
  readonly url?: string;
  readonly windows: boolean;
  readonly format: (typeof FORMATS)[number];
}

function readVerifyExportSettings(operands: readonly string[], options: Options, fault: Fault): VerifyExportSettings {
  const [folder = '', ...more] = operands;
  if (more.length > 0) fault(`name one folder only, not also ${more.join(', ')}`);
  return {
    folder,
    url: serviceUrlOption(options, fault),
    windows: options['windows'] === true,
    format: choiceOption(options, 'output', FORMATS, fault),
  };
}

export function verifyExportCommand(): CliCommand {
  return new CliCommand('verify-export')
    .summary('check the files of an export and compare their rows with the API')
    .description(
      'Checks a folder of export files: every digest, size, row count and row. Rows of book, trades, ' +
        'context and liquidations are converted back to their market_state_row.v1 lines and chained: h0 is 32 zero bytes, h(n) = ' +
        'SHA-256(h(n-1), line n), which equals rows_sha256 of a replay of the same window, channel and as_of. For packets, digests, ' +
        'signatures and the links between packets are checked.\n' +
        'With --url, also compares every hour and every candle with the API, charged as normal calls. Uses MARKET_STATE_API_KEY or the login profile.\n' +
        'Exits with 0 if everything is valid, 1 if something is wrong, 2 if the folder is not an export, 3 if some rows could not be compared.',
    )
    .argument('<folder>', 'folder with the downloaded files of one export')
    .option('--url <address>', 'service to compare with, such as http://127.0.0.1:8080')
    .option('--windows', 'also print the chain of every hour')
    .outputOption('output format: table (readable), ndjson or json (one object)', FORMATS, 'table')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state verify-export trades-of-may\n' +
        '  $ MARKET_STATE_API_KEY=msk_live_… market-state verify-export trades-of-may --url http://127.0.0.1:8080\n',
    )
    .runs<VerifyExportSettings>(readVerifyExportSettings, run);
}

/** One line, or indented. */
function objectLines(line: string, format: string): readonly string[] {
  return [format === 'json' ? JSON.stringify(JSON.parse(line), null, 2) : line];
}

async function run(settings: VerifyExportSettings, io: CliIo): Promise<ExitCode> {
  const { describe, exitCodeOf, verdictOf, verifyExport } = await import('../verify-export/verify-export');
  using progress = createProgress(io);
  const { folder, url } = settings;
  const verification =
    url === undefined
      ? await verifyExport(folder, undefined, io, progress)
      : await withService(io, { url }, ({ ms }) => verifyExport(folder, ms, io, progress));
  progress.end();
  const lines =
    settings.format === 'table'
      ? describe(verification, settings.windows)
      : objectLines(
          ndjsonLine('market_state_export_verification.v1', { verdict: verdictOf(verification), ...verification }),
          settings.format,
        );
  await withOutput(io, undefined, async (output) => void (await output.write(...lines)));
  return exitCodeOf(verification);
}
