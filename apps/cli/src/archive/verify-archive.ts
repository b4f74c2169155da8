import { digestOfFile, manifestKeyOf, ObjectNotFoundError, type ObjectStore, readManifest } from '@market-state/archive';
import { createConcurrencyLimit } from '@market-state/lifecycle';

const READ_AT_ONCE = 4;

/** What the files of an archive are, by what their manifests say. */
export interface ArchiveVerification {
  readonly files: number;
  readonly bytes: number;
  /** What is wrong, a sentence each, in the order of the keys. */
  readonly faults: readonly string[];
  /** Keys of files without a manifest: those of a writer that was stopped, which are written again. */
  readonly unfinished: readonly string[];
}

/**
 * Hashes every file of an archive and compares it with its manifest. Ends early with `signal`.
 * @param onFile told after each file how many were read
 * @throws {StoreError} when the store cannot be read now
 */
export async function verifyArchive(
  store: ObjectStore,
  signal: AbortSignal,
  onFile: (total: number) => void,
): Promise<ArchiveVerification> {
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
      ...[...finished].filter((key) => !named.has(key)).map((key) => `${key}: the file that it describes is missing`),
    ].sort(),
    unfinished: files.filter((key) => !finished.has(manifestKeyOf(key))),
  };
}

async function checkFile(store: ObjectStore, key: string): Promise<{ readonly bytes: number; readonly faults: readonly string[] }> {
  const manifest = await readManifest(store, key);
  const found = await store.get(key).then(digestOfFile).catch(goneAs(undefined));
  if (found === undefined) return { bytes: 0, faults: [`${key}: it went away while it was read`] };
  if (manifest === undefined) return { bytes: found.bytes, faults: [`${key}: its manifest cannot be read`] };
  const faults = [
    ...(found.bytes === manifest.bytes ? [] : [`${key}: it has ${found.bytes} bytes, not ${manifest.bytes}`]),
    ...(found.sha256 === manifest.sha256 ? [] : [`${key}: its SHA-256 is ${found.sha256}, not ${manifest.sha256}`]),
  ];
  return { bytes: found.bytes, faults };
}

/** For `catch`: the value where the object is gone; else throws again. */
function goneAs<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (!(error instanceof ObjectNotFoundError)) throw error;
    return value;
  };
}
