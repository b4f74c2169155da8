import type { Closable } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { createJobProducer, type JobQueue, type NewJob } from '@market-state/queue';
import { z } from 'zod';

interface Payloads {
  readonly part: { readonly v: 1; readonly jobId: string; readonly number: number };
  readonly publish: { readonly v: 1; readonly jobId: string };
}

export type QueuedWork = NewJob<Payloads>;

/**
 * A job `part` for each part that is to be made, and a job `publish` once all are. Whether there is anything to do is decided by the
 * database, where each job begins with a claim.
 */
export const EXPORT_QUEUE: JobQueue<Payloads> = {
  name: 'exports',
  prefix: '{export}',
  payloads: {
    part: z.object({ v: z.literal(1), jobId: z.string(), number: z.int().positive() }),
    publish: z.object({ v: z.literal(1), jobId: z.string() }),
  },
  retry: { attempts: 5, minMs: 2_000, maxMs: 60_000 },
};

/** A part of a job. */
export interface PartKey {
  readonly jobId: string;
  /** From 1. */
  readonly number: number;
}

const MINUTE_MS = 60_000;
/** BullMQ's priorities end at 2^21; after so many minutes (3.8 years) they begin again. */
const PRIORITY_MINUTES = 2_000_000;

/**
 * The job of a part, queued by its virtual start: the minute in which it is queued, plus one for each part before it. So a small export
 * does not wait for a large one, and a large one waits at most as many minutes as it has parts for exports that are ordered later.
 */
export function workOfPart({ jobId, number }: PartKey, nowMs: number): QueuedWork {
  const priority = (Math.floor(nowMs / MINUTE_MS) % PRIORITY_MINUTES) + number;
  return { name: 'part', jobId: idOfPart({ jobId, number }), payload: { v: 1, jobId, number }, priority };
}

export function workOfPublication(jobId: string): QueuedWork {
  return { name: 'publish', jobId: idOfPublication(jobId), payload: { v: 1, jobId } };
}

const idOfPart = ({ jobId, number }: PartKey): string => `${jobId}.${number}`;
const idOfPublication = (jobId: string): string => `${jobId}.publish`;

/** The queue as services use it. Its methods never reject: while Redis is away, the search for due work makes up for what is lost. */
export interface ExportQueue extends Closable {
  add(work: readonly QueuedWork[]): Promise<void>;
  /** Removes what waits for an export job. */
  remove(job: { readonly jobId: string; readonly partTotal: number }): Promise<void>;
  /** Ends the delay of parts whose tenant had too many under way. */
  promote(parts: readonly PartKey[]): Promise<void>;
}

export function createExportQueue(redisUrl: string, logger: Logger): ExportQueue {
  const producer = createJobProducer(EXPORT_QUEUE, redisUrl, logger);
  const logged = (change: Promise<void>): Promise<void> =>
    change.catch((error: unknown) => logger.warn({ err: error }, 'the queue of exports was not changed; the upkeep makes up for it'));
  return {
    add: (work) => logged(producer.add(work)),
    remove: ({ jobId, partTotal }) => logged(producer.remove([...partsOf({ jobId, partTotal }).map(idOfPart), idOfPublication(jobId)])),
    promote: (parts) => logged(producer.promote(parts.map(idOfPart))),
    close: () => producer.close(),
  };
}

/** Keys of all parts of a job. */
export function partsOf({ jobId, partTotal }: { readonly jobId: string; readonly partTotal: number }): PartKey[] {
  return Array.from({ length: partTotal }, (_, index) => ({ jobId, number: index + 1 }));
}
