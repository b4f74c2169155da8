import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMPRESSIONS, DATASETS, FORMATS, type Timeframe, TIMEFRAME_NAMES } from '@market-state/export-schema';
import { z } from 'zod';
import { badInput } from '../cli-error';
import { count } from '../io/instant';

/** Faults of one kind that are named. */
const NAMED = 5;

/** What is wrong with an export, a sentence each; of many of one kind the first are named and the rest are counted. */
export class FaultList {
  private readonly kinds = new Map<string, { readonly named: string[]; total: number }>();

  /** `kind`: faults of one kind are counted together. */
  add(kind: string, sentence: string): void {
    const known = this.kinds.get(kind) ?? { named: [], total: 0 };
    known.total += 1;
    if (known.named.length < NAMED) known.named.push(sentence);
    this.kinds.set(kind, known);
  }

  lines(): readonly string[] {
    return [...this.kinds].flatMap(([kind, { named, total }]) =>
      total > named.length ? [...named, `${kind}: and ${count(total - named.length)} more like these`] : named,
    );
  }
}

/** The file that lists all others with their digests. */
export const MANIFEST = 'manifest.json';

const instantMs = z.iso.datetime({ precision: 3 }).transform((text) => Date.parse(text));
const natural = z.int().min(0);
const listed = {
  name: z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/),
  bytes: natural,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
};

const manifestShape = z.object({
  schema: z.literal('market_state_export.v1'),
  job_id: z.string(),
  request: z.object({
    dataset: z.enum(DATASETS),
    symbols: z.array(z.string()),
    from_utc: instantMs,
    to_utc: instantMs,
    as_of_utc: instantMs,
    format: z.enum(FORMATS),
    compression: z.enum(COMPRESSIONS),
    tf: z.enum(TIMEFRAME_NAMES as readonly [Timeframe, ...Timeframe[]]).nullable(),
    depth: z.int().nullable(),
  }),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  row_total: natural,
  checkable: z.boolean(),
  files: z.array(z.object({ ...listed, symbol: z.string(), rows: natural })),
  support_files: z.array(z.object(listed)),
});

/** What the checks read of a manifest; instants are epoch milliseconds. */
export type Manifest = z.infer<typeof manifestShape>;

/** A data file as the manifest lists it. */
export type ListedFile = Manifest['files'][number];

/**
 * The manifest of a folder with an export.
 * @throws CliError (bad input) when there is none, or it is not one, naming every fault
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'there is no such file' : `it cannot be read (${error.code ?? ''})`;
    throw badInput(`${path}: ${why}. Name the folder that the files of an export were downloaded to.`);
  });
  const read = manifestShape.safeParse(jsonOf(text, path));
  if (read.success) return read.data;
  throw badInput(...read.error.issues.map((issue) => `${path}: ${issue.path.join('.')}: ${issue.message}`));
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badInput(`${path}: it is not JSON: ${(error as Error).message}`);
  }
}
