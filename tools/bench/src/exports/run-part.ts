import { join } from 'node:path';
import { createFolderStore, literal, type ObjectStore } from '@market-state/archive';
import { makePart, type PartOrder, selectionOf } from '@market-state/export';
import { openPlainEngine, type Sources } from './sources';

const ROW_GROUP_ROWS = 122_880;

/** What a piece of work took. */
export interface Took {
  readonly elapsedMs: number;
  readonly cpuMs: number;
  readonly bytes: number;
}

/** The worker's whole way: sources held against their digests, COPY, facts, digest, put. */
export function runPipeline(sources: Sources, store: ObjectStore, part: PartOrder): Promise<Took> {
  return timed(async () => {
    const archive = createFolderStore(sources.market.archiveFolder);
    const { marketData } = sources;
    const deps = { store, archive, marketData, labeling: undefined as never };
    const { bytes, objectKey } = await makePart(deps, part, new AbortController().signal);
    await store.delete(objectKey);
    return bytes;
  });
}

/** DuckDB's COPY of the same rows and columns, from the same files, and nothing more. */
export function runPlainCopy(sources: Sources, folder: string, { job: { spec }, symbol, plan, name }: PartOrder): Promise<Took> {
  return timed(async () => {
    const files = plan.hours.map(({ file }) => literal(join(sources.market.archiveFolder, file?.key ?? ''))).join(', ');
    const { format, compression } = spec;
    const options = {
      parquet: `FORMAT parquet, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}`,
      csv: `FORMAT csv, HEADER true, NULLSTR ''`,
      ndjson: 'FORMAT json, ARRAY false',
    }[format];
    const engine = await openPlainEngine();
    try {
      await engine.run((connection) =>
        connection.run(
          `COPY (SELECT ${selectionOf(spec, symbol).list} FROM read_parquet([${files}], hive_partitioning = false))
           TO ${literal(join(folder, name))} (${options}, COMPRESSION ${compression === 'none' && format === 'parquet' ? 'uncompressed' : compression})`,
        ),
      );
    } finally {
      engine.close();
    }
    return 0;
  });
}

async function timed(work: () => Promise<number>): Promise<Took> {
  const [startedMs, startedCpu] = [performance.now(), process.cpuUsage()];
  const bytes = await work();
  const { user, system } = process.cpuUsage(startedCpu);
  return { elapsedMs: performance.now() - startedMs, cpuMs: (user + system) / 1_000, bytes };
}
