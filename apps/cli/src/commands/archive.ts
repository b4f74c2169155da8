import { join } from 'node:path';
import {
  digestOfFile,
  manifestKeyOf,
  ObjectNotFoundError,
  type ObjectStore,
  openStore,
  readManifest,
  StoreError,
  type StoreOptions,
  storeOptionsOf,
  storeUrl,
  storeVariables,
} from '@market-state/archive';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import { z } from 'zod';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { type Options, textOption } from '../arguments/values';
import { EXIT, type ExitCode, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { count } from '../io/instant';
import { createProgress } from '../io/progress';
import { readResultFormat, type ResultFormat, withResultOption, writeResult } from '../output/settings';

const READ_AT_ONCE = 4;

/** Archive files checked against their manifests. */
interface ArchiveVerification {
  readonly files: number;
  readonly bytes: number;
  /** One sentence per fault, ordered by key. */
  readonly faults: readonly string[];
  /** Keys of files without a manifest: an interrupted writer writes them again. */
  readonly unfinished: readonly string[];
}

/**
 * @param onFile called after each file with the number read so far
 * @throws {StoreError} if the store cannot be read
 */
async function verifyArchive(store: ObjectStore, signal: AbortSignal, onFile: (total: number) => void): Promise<ArchiveVerification> {
  const keys = await store.list('');
  const files = keys.filter((key) => key !== manifestKeyOf(key));
  const finished = new Set(keys.filter((key) => key === manifestKeyOf(key)));
  const named = new Set(files.map(manifestKeyOf));
  const limit = createConcurrencyLimit(READ_AT_ONCE);
  let read = 0;
  const found = await Promise.all(
    files
      .filter((key) => finished.has(manifestKeyOf(key)))
      .map((key) =>
        limit(async () => {
          signal.throwIfAborted();
          const checked = await checkFile(store, key);
          read += 1;
          onFile(read);
          return checked;
        }),
      ),
  );
  return {
    files: found.length,
    bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
    faults: [
      ...found.flatMap(({ faults }) => faults),
      ...[...finished].filter((key) => !named.has(key)).map((key) => `${key}: the file it describes is missing`),
    ].sort(),
    unfinished: files.filter((key) => !finished.has(manifestKeyOf(key))),
  };
}

async function checkFile(store: ObjectStore, key: string): Promise<{ readonly bytes: number; readonly faults: readonly string[] }> {
  const manifest = await readManifest(store, key);
  const found = await store.get(key).then(digestOfFile).catch(goneAs(undefined));
  if (found === undefined) return { bytes: 0, faults: [`${key}: disappeared while it was being read`] };
  if (manifest === undefined) return { bytes: found.bytes, faults: [`${key}: the manifest cannot be read`] };
  const faults = [
    ...(found.bytes === manifest.bytes ? [] : [`${key}: has ${found.bytes} bytes, expected ${manifest.bytes}`]),
    ...(found.sha256 === manifest.sha256 ? [] : [`${key}: SHA-256 is ${found.sha256}, expected ${manifest.sha256}`]),
  ];
  return { bytes: found.bytes, faults };
}

/** For `catch`: returns the value if the object is gone, else rethrows. */
function goneAs<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (!(error instanceof ObjectNotFoundError)) throw error;
    return value;
  };
}

interface ArchiveSettings {
  readonly url: string;
  readonly store: StoreOptions;
  readonly format: ResultFormat;
}

export function archiveCommand(): CliCommand {
  const verify = withResultOption(new CliCommand('verify'))
    .summary('check every archive file against its manifest')
    .description(
      'Hashes every file of the archive and compares its size and SHA-256 with the manifest. Needs no running system and no database, so it also works on a copy ' +
        'or after a restore.\n' +
        'Reads bucket settings as the services do: S3_ENDPOINT, S3_REGION, S3_FORCE_PATH_STYLE, and the default credential chain of the S3 client.\n' +
        'Exits with 0 if every file matches, 1 if a file differs or is missing, 3 if the archive cannot be read.',
    )
    .option(
      '--url <url>',
      'archive location: folder, file:///folder or s3://bucket/prefix (default: ARCHIVE_URL, else the archive in the data folder)',
    )
    .addHelpText('after', '\nExample:\n  $ market-state admin archive verify --url s3://bucket/market-state\n')
    .runs(readSettings, verifyAndReport);
  return new CliCommand('archive').summary('verify archive files').addCommand(verify);
}

function readSettings(operands: readonly string[], options: Options, fault: Fault, io: CliIo): ArchiveSettings {
  if (operands.length > 0) fault(`takes no arguments: ${operands.join(', ')}`);
  const url = textOption(options, 'url') ?? io.archiveUrl ?? join(io.dataDir, 'archive');
  const parsedUrl = storeUrl.safeParse(url);
  if (!parsedUrl.success) fault(`archive ${url}: ${parsedUrl.error.issues[0]?.message}`);
  const variables = z.object(storeVariables).safeParse(io.storeVariables ?? {});
  const format = readResultFormat(options, fault);
  if (variables.success) return { url, store: storeOptionsOf(variables.data), format };
  for (const { path, message } of variables.error.issues) fault(`${path.join('.')} ${message}`);
  return { url, store: {}, format };
}

async function verifyAndReport({ url, store, format }: ArchiveSettings, io: CliIo): Promise<ExitCode> {
  using progress = createProgress(io);
  try {
    const found = await verifyArchive(openStore(url, store), io.signal, (total) => progress.report(() => `${count(total)} files read`));
    progress.end();
    for (const key of found.unfinished) io.stderr.write(`${key} has no manifest yet: its writer was interrupted and will write it again\n`);
    if (found.files === 0 && found.faults.length === 0) throw incomplete(`No file with a manifest in ${url}.`);
    const size = `${count(found.files)} ${found.files === 1 ? 'file' : 'files'}, ${count(found.bytes)} bytes`;
    const sentence =
      found.faults.length === 0
        ? `EQUAL: ${size}, all matching their manifests.`
        : `DIFFERENT: of ${size}, ${count(found.faults.length)} ${found.faults.length === 1 ? 'does' : 'do'} not match.`;
    writeResult(io, format, { archive: url, ...found }, [...found.faults, sentence]);
    return found.faults.length === 0 ? EXIT.done : EXIT.different;
  } catch (error) {
    if (error instanceof StoreError) throw incomplete(`Cannot read the archive ${url}: ${error.message}`);
    throw error;
  }
}
