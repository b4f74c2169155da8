import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { digestOfFile, type ObjectStore, openEngine } from '@market-state/archive';
import { mediaTypeOf } from '@market-state/export-schema';
import type { MadeFile } from '../store/parts';
import { copyRows } from './copy-rows';
import { PartError } from './faults';
import type { PartOrder } from './part-order';
import { type SourceDeps, sourcesOf } from './sources';

/** Memory of the engine, and what it may spill, mebibytes. */
const MEMORY_MB = 256;
const SPILL_MB_MAX = 4_096;

/** Version of the columns, told in files and manifest. */
export const FILE_SCHEMA = 'market_state_export.v1';

export interface MakeDeps extends SourceDeps {
  /** Where the files go. */
  readonly store: ObjectStore;
}

/**
 * Makes the file of a part and puts it under a key of this try: one that another try has put is never written over.
 * @throws {PartError} and whatever the stores and services throw; the signal's reason when it aborts
 */
export async function makePart(deps: MakeDeps, part: PartOrder, signal: AbortSignal): Promise<MadeFile> {
  const { job, symbol, plan, name } = part;
  const scratch = await deps.store.scratch();
  const engine = await openEngine({ memoryMb: MEMORY_MB, spillFolder: scratch, spillMbMax: SPILL_MB_MAX });
  try {
    const target = join(scratch, name);
    const sources = await sourcesOf(deps, part, { engine, scratch, signal });
    const metadata = { job: job.jobId, schema: FILE_SCHEMA, dataset: job.spec.dataset, as_of_ms: String(job.spec.asOfMs) };
    const facts = await copyRows(engine, { spec: job.spec, symbol, plan, sources, target, metadata, signal });
    refuseOtherRows(part, facts.rows);
    const { sha256, bytes } = await digestOfFile(target);
    signal.throwIfAborted();
    const objectKey = partKey(part);
    await deps.store.put(objectKey, target);
    return { name, contentType: mediaTypeOf(job.spec.format, job.spec.compression), bytes, sha256, objectKey, facts };
  } finally {
    engine.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Where the file of a try is. */
function partKey({ job, attempt, name }: PartOrder): string {
  return `exports/${job.jobId}/${attempt}-${name}`;
}

/** A candle's number is known only once it is asked for. */
function refuseOtherRows({ job, rowTotal, name }: PartOrder, rows: number): void {
  if (job.spec.dataset === 'candles' ? rows <= rowTotal : rows === rowTotal) return;
  throw new PartError('rows_differ', `${name}: ${rows} rows where ${rowTotal} were planned.`);
}
