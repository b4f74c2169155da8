import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type Column, sqlTypeOf } from './column';
import { ObjectNotFoundError, type ObjectStore } from './object-store';

/** Columns of a file kind, and those checked against the manifest. */
export interface ArchiveLayout {
  readonly columns: readonly Column[];
  /** Integer column, strictly increasing. */
  readonly ordinal: string;
  readonly time: string;
  readonly payload: string;
}

export function columnOf(layout: ArchiveLayout, name: string): Column {
  const column = layout.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw new RangeError(`no column ${name}`);
  return column;
}

function layoutSchema({ columns }: ArchiveLayout): { name: string; type: string }[] {
  return columns.map((column) => ({ name: column.name, type: sqlTypeOf(column) }));
}

const wholeNumber = z.number().int().nonnegative();
const digest = z.string().regex(/^[0-9a-f]{64}$/);

const manifestShape = z.strictObject({
  manifest_version: z.literal(1),
  object_key: z.string(),
  rows: wholeNumber,
  bytes: wholeNumber,
  sha256: digest,
  rows_sha256: digest,
  first_ordinal: wholeNumber,
  last_ordinal: wholeNumber,
  min_time_ms: wholeNumber,
  max_time_ms: wholeNumber,
  gap_ids: z.array(z.string()),
  ordinal_column: z.string(),
  time_column: z.string(),
  payload_column: z.string(),
  schema: z.array(z.strictObject({ name: z.string(), type: z.string() })),
});

/** `rows_sha256` is the RowChain over `payload_column`; the schema uses DuckDB type names. */
export type Manifest = z.output<typeof manifestShape>;

export function manifestKeyOf(key: string): string {
  return `${key.slice(0, key.lastIndexOf('/') + 1)}manifest.json`;
}

export function toManifest(key: string, layout: ArchiveLayout, gapIds: readonly string[], found: FileFacts): Manifest {
  return {
    manifest_version: 1,
    object_key: key,
    rows: found.rows,
    bytes: found.bytes,
    sha256: found.sha256,
    rows_sha256: found.rowsSha256,
    first_ordinal: found.firstOrdinal,
    last_ordinal: found.lastOrdinal,
    min_time_ms: found.minTimeMs,
    max_time_ms: found.maxTimeMs,
    gap_ids: [...gapIds],
    ordinal_column: layout.ordinal,
    time_column: layout.time,
    payload_column: layout.payload,
    schema: layoutSchema(layout),
  };
}

export interface FileFacts {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly rowsSha256: string;
  readonly firstOrdinal: number;
  readonly lastOrdinal: number;
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
}

/** Undefined if the manifest is missing or invalid. */
export async function readManifest(store: ObjectStore, key: string): Promise<Manifest | undefined> {
  try {
    const text = await readFile(await store.get(manifestKeyOf(key)), 'utf8');
    const parsed = manifestShape.safeParse(JSON.parse(text));
    return parsed.success && parsed.data.object_key === key ? parsed.data : undefined;
  } catch (error) {
    if (error instanceof ObjectNotFoundError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export async function deleteArchiveFile(store: ObjectStore, key: string): Promise<void> {
  await store.delete(key);
  await store.delete(manifestKeyOf(key));
}
