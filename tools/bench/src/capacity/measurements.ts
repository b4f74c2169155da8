import { z } from 'zod';
import type { System } from '@market-state/launcher';
import { cpuMsBelow, cpuMsOf, pidsBelow, programOf, proportionalMiB, sumOf } from '@market-state/testing';

function pidOf(program: string): number {
  const found = pidsBelow(process.pid).find((pid) => programOf(pid).split('/').at(-1) === program);
  if (found === undefined) throw new Error(`No ${program} runs below this process.`);
  return found;
}

export function cpuOfProcess(system: System, name: string): number {
  return cpuMsOf(system.processes.process(name).pid ?? 0);
}

function cpuOfStore(program: Store): number {
  const pid = pidOf(program);
  return cpuMsOf(pid) + cpuMsBelow(pid, 0);
}

type Store = 'redis-server' | 'postgres';

const PROCESSES = {
  feed: 'data-plane-feed',
  recorder: 'data-plane-recorder',
  labeling: 'labeling',
  dataPlane: 'data-plane',
  evaluator: 'webhook-evaluator',
  gateway: 'gateway',
} as const satisfies Partial<Record<keyof Resting, string>>;
const STORES = { redis: 'redis-server', postgres: 'postgres' } as const satisfies Partial<Record<keyof Resting, Store>>;

function byPart(ofProcess: (name: string) => number, ofStore: (program: Store) => number): Resting {
  const of = <T extends string>(names: Readonly<Record<string, T>>, valueOf: (name: T) => number) =>
    Object.entries(names).map(([part, name]) => [part, valueOf(name)]);
  return Object.fromEntries([...of(PROCESSES, ofProcess), ...of(STORES, ofStore)]) as unknown as Resting;
}

/** CPU time in milliseconds. */
export function cpuByPart(system: System): Resting {
  return byPart((name) => cpuOfProcess(system, name), cpuOfStore);
}

/** Proportional set size in MiB. */
export function memoryByPart(system: System): Resting {
  return byPart(
    (name) => proportionalMiB(system.processes.process(name).pid ?? 0),
    (program) => {
      const pid = pidOf(program);
      return sumOf([pid, ...pidsBelow(pid)].map(proportionalMiB));
    },
  );
}

export function mapParts(parts: Resting, valueOf: (value: number, part: keyof Resting) => number): Resting {
  return Object.fromEntries(
    Object.entries(parts).map(([part, value]) => [part, valueOf(value as number, part as keyof Resting)]),
  ) as unknown as Resting;
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

/** A run of `scale`: this many thinned symbols, all services and stores on one machine. */
const scaleShape = z.strictObject({
  day: z.iso.date(),
  /** Over the last minute before the start. */
  loadAverage: some,
  symbols: z.int().positive(),
  entriesPerSecond: positive,
  /** Shares of a core, and MiB of proportional set size. */
  cpu: restingShape,
  cpuOfOthers: some,
  memory: restingShape,
  memoryOfOthers: some,
  latest: z.strictObject({ p50Ms: positive, p99Ms: positive, refused: z.int().nonnegative() }),
  /** Closing tick in the log to packet at a reader. */
  closing: z.strictObject({
    p50Ms: positive,
    p99Ms: positive,
    maxMs: positive,
    windows: z.int().positive(),
    onTime: some,
    missing: z.int().nonnegative(),
  }),
  /** Seconds by which the slowest symbol is behind. */
  behind: z.strictObject({ feed: some, recorder: some, labeling: some, evaluator: some }),
  /** Bytes per symbol: a day in Postgres with indexes, and 75 minutes of the log in Redis. */
  stored: z.strictObject({ postgres: positive, redis: positive }),
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
  scale: z.array(scaleShape).default([]),
  /** Server-sent events: gateway CPU for a packet to one reader, and memory per reader. */
  readers: z.strictObject({ total: z.int().positive(), cpuUs: positive, kib: positive }),
});

export type ScaleFigures = z.output<typeof scaleShape>;
export type Measured = z.output<typeof measuredShape>;
export type Resting = z.output<typeof restingShape>;
