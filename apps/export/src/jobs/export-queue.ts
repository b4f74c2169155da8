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
 * One job `part` per part and one `publish` after the last. Every job starts with a claim in the database, which
 * decides whether there is work.
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

export interface PartKey {
  readonly jobId: string;
  readonly number: number;
}

export interface WaitingPart extends PartKey {
  readonly createdMs: number;
}

const MINUTE_MS = 60_000;
/** BullMQ priorities end at 2^21; the minutes wrap around after 3.8 years. */
const PRIORITY_MINUTES = 2_000_000;

/**
 * Queues a part by virtual start time: minute of the order plus one per preceding part. A small export does not wait
 * for a large one, which waits at most one minute per part for later exports.
 */
export function workOfPart({ jobId, number, createdMs }: WaitingPart): QueuedWork {
  const priority = (Math.floor(createdMs / MINUTE_MS) % PRIORITY_MINUTES) + number;
  return { name: 'part', jobId: idOfPart({ jobId, number }), payload: { v: 1, jobId, number }, priority };
}

export function workOfPublication(jobId: string): QueuedWork {
  return { name: 'publish', jobId: idOfPublication(jobId), payload: { v: 1, jobId } };
}

const idOfPart = ({ jobId, number }: PartKey): string => `${jobId}.${number}`;
const idOfPublication = (jobId: string): string => `${jobId}.publish`;

/** Methods never reject: while Redis is unavailable, the search for due work compensates. */
export interface ExportQueue extends Closable {
  add(work: readonly QueuedWork[]): Promise<void>;
  remove(job: { readonly jobId: string; readonly partTotal: number }): Promise<void>;
  promote(parts: readonly PartKey[]): Promise<void>;
}

export function createExportQueue(redisUrl: string, logger: Logger): ExportQueue {
  const producer = createJobProducer(EXPORT_QUEUE, redisUrl, logger);
  const logged = (change: Promise<void>): Promise<void> =>
    change.catch((error: unknown) => logger.warn({ err: error }, 'updating the export queue failed; maintenance will compensate'));
  return {
    add: (work) => logged(producer.add(work)),
    remove: ({ jobId, partTotal }) => logged(producer.remove([...idsOfParts(jobId, partTotal), idOfPublication(jobId)])),
    promote: (parts) => logged(producer.promote(parts.map(idOfPart))),
    close: () => producer.close(),
  };
}

function idsOfParts(jobId: string, partTotal: number): string[] {
  return Array.from({ length: partTotal }, (_, index) => idOfPart({ jobId, number: index + 1 }));
}
