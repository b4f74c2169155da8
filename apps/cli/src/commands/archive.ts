import { join } from 'node:path';
import { openStore, type StoreOptions, StoreError, storeOptionsOf, storeUrl, storeVariables } from '@market-state/archive';
import { z } from 'zod';
import { verifyArchive } from '../archive/verify-archive';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { type Options, textOption } from '../arguments/values';
import { EXIT, type ExitCode, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { count } from '../io/instant';
import { createProgress } from '../io/progress';

interface ArchiveSettings {
  readonly url: string;
  readonly store: StoreOptions;
}

/** `archive verify`. */
export function archiveCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const verify = new CliCommand('verify')
    .summary('hash every file of the archive and compare it with its manifest')
    .description(
      'Hashes every file of the archive and compares size and SHA-256 with its manifest. Needs no running system and no database: to be run on a copy or ' +
        'after a restore too.\n' +
        'A bucket is reached as the services reach it: S3_ENDPOINT, S3_REGION, S3_FORCE_PATH_STYLE, and credentials where its client looks for them.\n' +
        'Exits with 0 if every file is as its manifest says, 1 if one is not or is missing, 3 if the archive cannot be read.',
    )
    .option('--url <url>', 'the archive: folder, file:///folder or s3://bucket/prefix (default: ARCHIVE_URL, else that of the data folder)')
    .addHelpText('after', '\nExample:\n  $ market-state archive verify --url s3://bucket/market-state\n')
    .runs(
      (operands, options, fault) => readSettings(operands, options, fault, io),
      (settings) => verifyAndTell(settings, io),
      onExitCode,
    );
  return new CliCommand('archive').summary('prove the files of the archive').addCommand(verify);
}

function readSettings(operands: readonly string[], options: Options, fault: Fault, io: CliIo): ArchiveSettings {
  if (operands.length > 0) fault(`it takes no arguments: ${operands.join(', ')}`);
  const url = textOption(options, 'url') ?? io.archiveUrl ?? join(io.dataDir, 'archive');
  const parsedUrl = storeUrl.safeParse(url);
  if (!parsedUrl.success) fault(`the archive ${url}: ${parsedUrl.error.issues[0]?.message}`);
  const variables = z.object(storeVariables).safeParse(io.storeVariables ?? {});
  if (variables.success) return { url, store: storeOptionsOf(variables.data) };
  for (const { path, message } of variables.error.issues) fault(`${path.join('.')} ${message}`);
  return { url, store: {} };
}

async function verifyAndTell({ url, store }: ArchiveSettings, io: CliIo): Promise<ExitCode> {
  const progress = createProgress(io);
  try {
    const found = await verifyArchive(openStore(url, store), io.signal, (total) => progress.tell(() => `${count(total)} files read`));
    progress.end();
    for (const fault of found.faults) io.stdout.write(`${fault}\n`);
    for (const key of found.unfinished) io.stderr.write(`${key} has no manifest: its writer was stopped, and writes it again\n`);
    if (found.files === 0 && found.faults.length === 0) throw incomplete(`There is no file with a manifest in ${url}.`);
    const size = `${count(found.files)} ${found.files === 1 ? 'file' : 'files'}, ${count(found.bytes)} bytes`;
    if (found.faults.length === 0) io.stdout.write(`EQUAL: ${size}, each as its manifest says.\n`);
    else
      io.stdout.write(`DIFFERENT: of ${size}, ${count(found.faults.length)} ${found.faults.length === 1 ? 'is' : 'are'} not as listed.\n`);
    return found.faults.length === 0 ? EXIT.done : EXIT.different;
  } catch (error) {
    if (error instanceof StoreError) throw incomplete(`The archive ${url} cannot be read: ${error.message}`);
    throw error;
  } finally {
    progress.end();
  }
}
