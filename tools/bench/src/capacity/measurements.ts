import { z } from 'zod';
import type { System } from '@market-state/launcher';
import { cpuMsBelow, cpuMsOf, pidsBelow, programOf } from '@market-state/testing';

function pidOf(program: string): number {
  const found = pidsBelow(process.pid).find((pid) => programOf(pid).split('/').at(-1) === program);
  if (found === undefined) throw new Error(`No ${program} runs below this process.`);
  return found;
}

export function cpuOfProcess(system: System, name: string): number {
  return cpuMsOf(system.processes.process(name).pid ?? 0);
}

export function cpuOfStore(program: 'redis-server' | 'postgres'): number {
  const pid = pidOf(program);
  return cpuMsOf(pid) + cpuMsBelow(pid, 0);
}

const positive = z.number().positive();
/** May round to zero. */
const some = z.number().nonnegative();

/** Share of a core that each program uses for one recorded and labeled symbol, without requests. */
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

/** Every number on the capacity page is one of these or derived from them. */
export const measuredShape = z.strictObject({
  day: z.iso.date(),
  machine: z.strictObject({
    cores: z.int().positive(),
    processor: z.string(),
    memoryGiB: positive,
    node: z.string(),
    /** Over the last minute before the start. */
    loadAverage: some,
  }),
  symbols: z.int().positive(),
  /** Per symbol. */
  entriesPerSecond: positive,
  rowsPerSecond: positive,
  redisBytesAnEntry: positive,
  payloadBytesARow: positive,
  /** Bytes on disk in hot rows per byte of payload, with indexes. */
  diskFactor: positive,
  /** Per symbol: files of a whole hour, all channels of its log. */
  archiveBytesAnHour: positive,
  /** On disk with indexes: the packet, and its part of the event index. */
  packetBytes: positive,
  eventIndexBytes: positive,
  checkpointBytes: positive,
  latest: z.strictObject({ cpuUs: positive, bytes: positive }),
  posts: z.strictObject({ perSecond: positive, cpuMs: positive }),
  label: z.strictObject({ packetMs: positive, eventUs: positive }),
  resting: restingShape,
  exported: z.strictObject({ rows: z.int().positive(), cpuUsARow: positive, bytesARow: positive }),
  webhooks: z.strictObject({ perSecond: positive, cpuMs: positive, rowBytes: positive }),
  /** Server-sent events: gateway CPU for a packet to one reader, and memory per reader. */
  readers: z.strictObject({ total: z.int().positive(), cpuUs: positive, kib: positive }),
});

export type Measured = z.output<typeof measuredShape>;
export type Resting = z.output<typeof restingShape>;
