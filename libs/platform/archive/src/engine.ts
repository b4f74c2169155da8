import { setImmediate as nextTurn } from 'node:timers/promises';
import type * as duckDbModule from '@duckdb/node-api';
import { fromEngineError } from './store-errors';

/** The library, which is loaded when the first file is written or read: it is large and native. */
export type DuckDb = typeof duckDbModule;

let loaded: Promise<DuckDb> | undefined;

/** Loads the library, once for the process. */
export function loadDuckDb(): Promise<DuckDb> {
  loaded ??= import('@duckdb/node-api');
  return loaded;
}

interface EngineOptions {
  /** Where it spills what exceeds its memory; absent: such work fails. */
  readonly spillFolder?: string;
  /** Most that it spills, mebibytes; absent: what the disk has. Work that needs more fails. */
  readonly spillMbMax?: number;
  /** Memory limit, mebibytes. */
  readonly memoryMb: number;
}

/** A separate DuckDB: one thread, bounded memory, no database file, no extensions. */
export interface Engine {
  readonly duckDb: DuckDb;
  /** A connection for one piece of work, closed after it. Rejects with a StoreError when the disk is full or refuses. */
  run<T>(work: (connection: duckDbModule.DuckDBConnection) => Promise<T>): Promise<T>;
  connect(): Promise<duckDbModule.DuckDBConnection>;
  /** Frees its memory. */
  close(): void;
}

/** Opens an engine of its own; the caller closes it. */
export async function openEngine({ spillFolder, spillMbMax, memoryMb }: EngineOptions): Promise<Engine> {
  const duckDb = await loadDuckDb();
  const instance = await duckDb.DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: `${memoryMb}MiB`,
    temp_directory: spillFolder ?? '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connect = (): Promise<duckDbModule.DuckDBConnection> => instance.connect();
  try {
    const connection = await connect();
    // Given when the instance is made, the limit of the spill would not count.
    if (spillMbMax !== undefined) await connection.run(`SET max_temp_directory_size = '${spillMbMax}MiB'`);
    await connection.run('SET lock_configuration = true');
    connection.closeSync();
  } catch (error) {
    instance.closeSync();
    throw error;
  }
  return {
    duckDb,
    connect,
    async run(work) {
      const connection = await connect();
      try {
        return await work(connection);
      } catch (error) {
        throw fromEngineError(error);
      } finally {
        connection.closeSync();
      }
    },
    close: () => instance.closeSync(),
  };
}

/** Milliseconds of work after which the rest of the process gets a turn. */
const WORK_MS = 6;

/** A function to await between short pieces of work, which gives the rest of the process a turn when one is due. */
export function createBreather(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < WORK_MS) return;
    await nextTurn();
    sinceMs = performance.now();
  };
}
