import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMPRESSIONS, DATASETS, FORMATS, type Timeframe, TIMEFRAME_NAMES } from '@market-state/export-schema';
import { z } from 'zod';
import { badInput } from '../cli-error';
import { count } from '../io/instant';

const NAMED = 5;

/** Lists the first of each kind and counts the rest. */
export class FaultList {
  private readonly kinds = new Map<string, { readonly named: string[]; total: number }>();

  /** @param kind faults of one kind are counted together */
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

/** Subset of the manifest that is checked; instants are epoch milliseconds. */
export type Manifest = z.infer<typeof manifestShape>;

export type ListedFile = Manifest['files'][number];

/** @throws CliError (bad input) with every fault if the manifest is missing or invalid */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'no such file' : `cannot be read (${error.code ?? ''})`;
    throw badInput(`${path}: ${why}. Name the folder with the downloaded files of an export.`);
  });
  const read = manifestShape.safeParse(jsonOf(text, path));
  if (read.success) return read.data;
  throw badInput(...read.error.issues.map((issue) => `${path}: ${issue.path.join('.')}: ${issue.message}`));
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badInput(`${path}: not JSON: ${(error as Error).message}`);
  }
}
