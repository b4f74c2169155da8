import { setImmediate as nextTurn } from 'node:timers/promises';
import type * as duckDbModule from '@duckdb/node-api';
import { fromEngineError } from './store-errors';

/** Loaded on first use: the library is large and native. */
export type DuckDb = typeof duckDbModule;

let loaded: Promise<DuckDb> | undefined;

export function loadDuckDb(): Promise<DuckDb> {
  loaded ??= import('@duckdb/node-api');
  return loaded;
}

interface EngineOptions {
  readonly spillFolder?: string;
  readonly spillMbMax?: number;
  readonly memoryMb: number;
}

/** Isolated DuckDB: one thread, bounded memory, no database file, no extensions. */
export interface Engine {
  readonly duckDb: DuckDb;
  /** Rejects with a StoreError if the disk is full or denies access. */
  run<T>(work: (connection: duckDbModule.DuckDBConnection) => Promise<T>): Promise<T>;
  connect(): Promise<duckDbModule.DuckDBConnection>;
  close(): void;
}

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
    // DuckDB ignores this limit when passed at instance creation.
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

const WORK_MS = 6;

/** Returns a function to await between short work items; it yields to the event loop when needed. */
export function createBreather(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < WORK_MS) return;
    await nextTurn();
    sinceMs = performance.now();
  };
}
