import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import { runClient } from '../client/run-client';
import { withClientOptions } from '../client/settings';
import { fetchFiles, waitForJob } from '../exports/fetch-files';
import { orderExport } from '../exports/order';
import { type JobSettings, type OrderSettings, readJobSettings, readOrderSettings, withOrderOptions } from '../exports/settings';
import { showJob } from '../exports/show-job';
import type { CliIo } from '../io/cli-io';
import { createProgress } from '../io/progress';
import { EXPORT_JOBS, REVIEW_PACK } from '../reads/own-reads';
import { runRead } from '../reads/run-read';
import { readReadSettings, type ReadSettings, withReadOptions } from '../reads/settings';

type OnExitCode = (exitCode: ExitCode) => void;

/** `export create`, `list`, `wait`, `download` and `review`. */
export function exportCommand(io: CliIo, onExitCode: OnExitCode): CliCommand {
  return new CliCommand('export')
    .summary('rows and packets as files: order, wait, download')
    .addCommand(createCommand(io, onExitCode))
    .addCommand(listCommand(io, onExitCode))
    .addCommand(waitCommand(io, onExitCode))
    .addCommand(downloadCommand(io, onExitCode))
    .addCommand(reviewCommand(io, onExitCode));
}

function createCommand(io: CliIo, onExitCode: OnExitCode): CliCommand {
  return withClientOptions(withOrderOptions(new CliCommand('create')))
    .summary('order files; rows and cost first')
    .description(
      'Says how many rows and export credits an export has at most, and asks before it is ordered. --max-credits bounds its export credits too.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ market-state export create --dataset trades --symbols BTCUSD-PERP --from 2026-05-01 --to 2026-06-01 --yes --out trades-of-may\n',
    )
    .runs<OrderSettings>(readOrderSettings, (settings) => orderExport(settings, io), onExitCode);
}

function listCommand(io: CliIo, onExitCode: OnExitCode): CliCommand {
  return withClientOptions(withReadOptions(new CliCommand('list'), [EXPORT_JOBS]))
    .summary('jobs, newest first')
    .runs<ReadSettings>(
      (operands, options, fault) => readReadSettings(EXPORT_JOBS, operands, options, fault),
      (settings) => runRead(settings, io),
      onExitCode,
    );
}

function waitCommand(io: CliIo, onExitCode: OnExitCode): CliCommand {
  return withClientOptions(new CliCommand('wait'))
    .summary('wait until a job is over')
    .description('Exits with 0 when its files are ready, with 3 when it ended without files.')
    .argument('<job>', 'its id')
    .runs<JobSettings>(readJobSettings, (settings) => waitFor(settings, io), onExitCode);
}

function waitFor(settings: JobSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const progress = createProgress(io);
    try {
      return await showJob(await waitForJob(session, settings.jobId, progress, io.signal), settings, io);
    } finally {
      progress.end();
    }
  });
}

function downloadCommand(io: CliIo, onExitCode: OnExitCode): CliCommand {
  return withClientOptions(new CliCommand('download'))
    .summary('the files of a job')
    .description(
      'Waits for a job and writes its files to a folder. What an earlier try has written is kept and continued; a file gets its name once ' +
        'its SHA-256 is right.',
    )
    .argument('<job>', 'its id')
    .option('--out <folder>', 'where they go; without it, a folder named by the id')
    .option('--parallel <n>', 'files at once, 1 to 8', '4')
    .runs<JobSettings>(readJobSettings, (settings) => runClient(io, settings, (session) => fetchFiles(session, settings, io)), onExitCode);
}

function reviewCommand(io: CliIo, onExitCode: OnExitCode): CliCommand {
  return withClientOptions(new CliCommand('review'))
    .summary('what a reviewer of the files needs: plan, digests, gaps, days')
    .argument('<job>', 'its id')
    .runs<ReadSettings>(
      (operands, options, fault) => {
        const { jobId } = readJobSettings(operands, options, fault);
        const settings = readReadSettings(REVIEW_PACK, [], options, fault);
        return { ...settings, params: { job_id: jobId } };
      },
      (settings) => runRead(settings, io),
      onExitCode,
    );
}
