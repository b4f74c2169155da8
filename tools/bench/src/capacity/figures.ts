import { z } from 'zod';
import type { System } from '@market-state/launcher';
import { cpuMsBelow, cpuMsOf, pidsBelow, programOf } from '@market-state/testing';

/** The process that runs a program below this one. @throws Error when there is none */
function pidOf(program: string): number {
  const found = pidsBelow(process.pid).find((pid) => programOf(pid).split('/').at(-1) === program);
  if (found === undefined) throw new Error(`No ${program} runs below this process.`);
  return found;
}

/** CPU that a process of the system has used, milliseconds. */
export function cpuOfProcess(system: System, name: string): number {
  return cpuMsOf(system.processes.process(name).pid ?? 0);
}

/** CPU that a store has used, with all of its processes, milliseconds. */
export function cpuOfStore(program: 'redis-server' | 'postgres'): number {
  const pid = pidOf(program);
  return cpuMsOf(pid) + cpuMsBelow(pid, 0);
}

const positive = z.number().positive();
/** CPU may be too little to be told from none. */
const some = z.number().nonnegative();

/** Share of a core that each program uses for one symbol that is recorded and labeled, with nobody asking. */
const restingShape = z.strictObject({
  feed: some,
  recorder: some,
  labeling: some,
  dataPlane: some,
  evaluator: some,
  gateway: some,
  redis: some,
  postgres: some,
});

/** What was measured, where and when. Every number of the page on capacity is one of these, or made of them. */
export const measuredShape = z.strictObject({
  day: z.iso.date(),
  machine: z.strictObject({
    cores: z.int().positive(),
    processor: z.string(),
    memoryGiB: positive,
    node: z.string(),
    /** Of the last minute before anything was started. */
    loadAverage: some,
  }),
  /** Symbols that were played. */
  symbols: z.int().positive(),
  /** Of a symbol, a second. */
  entriesPerSecond: positive,
  rowsPerSecond: positive,
  redisBytesAnEntry: positive,
  payloadBytesARow: positive,
  /** Of one byte of payload, bytes on disk in hot rows, with indexes. */
  diskFactor: positive,
  /** Of a symbol: files of a whole hour, all channels of its log. */
  archiveBytesAnHour: positive,
  /** On disk, with indexes: the packet, and what the index of events has of it. */
  packetBytes: positive,
  eventIndexBytes: positive,
  checkpointBytes: positive,
  latest: z.strictObject({ cpuUs: positive, bytes: positive }),
  /** Batches of charges that one gateway posts, and CPU of account for each. */
  posts: z.strictObject({ perSecond: positive, cpuMs: positive }),
  label: z.strictObject({ packetMs: positive, eventUs: positive }),
  resting: restingShape,
  /** Of Parquet files of books, made from archived hours. */
  exported: z.strictObject({ rows: z.int().positive(), cpuUsARow: positive, bytesARow: positive }),
  webhooks: z.strictObject({ perSecond: positive, cpuMs: positive, rowBytes: positive }),
  /** Of server-sent events: CPU of the gateway for a packet to one reader, and memory of one. */
  readers: z.strictObject({ total: z.int().positive(), cpuUs: positive, kib: positive }),
});

export type Measured = z.output<typeof measuredShape>;
export type Resting = z.output<typeof restingShape>;
