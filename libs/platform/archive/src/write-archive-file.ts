import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Row } from './column';
import { type Engine, openEngine } from './engine';
import { type ArchiveLayout, type FileFacts, type Manifest, manifestKeyOf, readManifest, toManifest } from './manifest';
import { ObjectNotFoundError, type ObjectStore } from './object-store';
import { writeParquet } from './parquet';
import { ArchiveCorruptError, checkFacts, digestOfFile, readFacts, RowFacts } from './verify-file';

/** Memory limit in MiB; the rest spills to the scratch folder. */
const MEMORY_MB = 128;

export interface ArchiveFileContent {
  /** The manifest goes into the same folder, so no other file may share it. */
  readonly key: string;
  readonly layout: ArchiveLayout;
  /** At least one row; ordinals rise. Called only if the file must be written. */
  readonly rows: () => AsyncIterable<readonly Row[]>;
  readonly gapIds: readonly string[];
}

/** Opens its engine on the first write; `close` frees it. */
export interface ArchiveWriter {
  /**
   * Idempotent: a file with a manifest is verified and returned; one without is a killed writer's and is replaced. The
   * manifest is written after reading the file back.
   * @throws {ArchiveCorruptError} if the stored file is damaged
   */
  write(content: ArchiveFileContent): Promise<Manifest>;
  close(): Promise<void>;
}

/** The caller closes it. After a failure, the next file gets a new engine. */
export function createArchiveWriter(store: ObjectStore): ArchiveWriter {
  let bench: Workbench | undefined;
  const close = async (): Promise<void> => {
    const open = bench;
    bench = undefined;
    await open?.close();
  };
  return {
    async write(content) {
      try {
        bench ??= await openWorkbench(store);
        return await write(store, bench, content);
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
  };
}

export async function writeArchiveFile(store: ObjectStore, content: ArchiveFileContent): Promise<Manifest> {
  const writer = createArchiveWriter(store);
  try {
    return await writer.write(content);
  } finally {
    await writer.close();
  }
}

/** @throws {ArchiveCorruptError} listing every difference from the manifest, or if the file is missing or unreadable */
export async function verifyArchiveFile(store: ObjectStore, manifest: Manifest, layout: ArchiveLayout): Promise<void> {
  const bench = await openWorkbench(store);
  try {
    await verify(store, bench.engine, manifest, layout);
  } finally {
    await bench.close();
  }
}

interface Workbench {
  readonly engine: Engine;
  readonly scratch: string;
  close(): Promise<void>;
}

async function openWorkbench(store: ObjectStore): Promise<Workbench> {
  const scratch = await store.scratch();
  const clear = (): Promise<void> => rm(scratch, { recursive: true, force: true });
  try {
    const engine = await openEngine({ spillFolder: join(scratch, 'spill'), memoryMb: MEMORY_MB });
    return {
      engine,
      scratch,
      close() {
        engine.close();
        return clear();
      },
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

async function write(
  store: ObjectStore,
  { engine, scratch }: Workbench,
  { key, layout, rows, gapIds }: ArchiveFileContent,
): Promise<Manifest> {
  const there = await readManifest(store, key);
  if (there !== undefined) {
    await verify(store, engine, there, layout);
    return there;
  }
  const written = new RowFacts();
  const file = join(scratch, 'part');
  await writeParquet(engine, file, { columns: layout.columns, rows: observed(rows(), layout, written) });
  if (written.rows === 0) throw new RangeError('a file needs at least one row');
  const digest = await digestOfFile(file);
  await store.put(key, file);
  const found = await factsInStore(store, engine, key, layout);
  const manifest = toManifest(key, layout, gapIds, { ...digest, ...written.take() });
  checkFacts(key, found, manifest);
  const manifestFile = join(scratch, 'manifest.json');
  await writeFile(manifestFile, `${JSON.stringify(manifest, undefined, 2)}\n`);
  await store.put(manifestKeyOf(key), manifestFile);
  return manifest;
}

async function verify(store: ObjectStore, engine: Engine, manifest: Manifest, layout: ArchiveLayout): Promise<void> {
  checkFacts(manifest.object_key, await factsInStore(store, engine, manifest.object_key, layout), manifest);
}

async function factsInStore(store: ObjectStore, { duckDb, run }: Engine, key: string, layout: ArchiveLayout): Promise<FileFacts> {
  const path = await store.get(key).catch((error: unknown) => {
    throw error instanceof ObjectNotFoundError ? new ArchiveCorruptError(key, 'file is missing', { cause: error }) : error;
  });
  return run((connection) => readFacts(duckDb, connection, key, path, layout));
}

async function* observed(pieces: AsyncIterable<readonly Row[]>, layout: ArchiveLayout, facts: RowFacts): AsyncGenerator<readonly Row[]> {
  const indexOf = (name: string): number => layout.columns.findIndex((column) => column.name === name);
  const [ordinal, time, payload] = [indexOf(layout.ordinal), indexOf(layout.time), indexOf(layout.payload)];
  for await (const piece of pieces) {
    for (const row of piece) facts.add(row[ordinal], row[time], row[payload]);
    yield piece;
  }
}
