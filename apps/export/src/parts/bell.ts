import type { Logger } from '@market-state/logging';
import { createProducer, type QueueDefinition } from '@market-state/queue';
import { z } from 'zod';

/** What a worker is woken for: the next part that is due, or the publication of a job. */
const payload = z.discriminatedUnion('wakes', [
  z.object({ v: z.literal(1), wakes: z.literal('part') }),
  z.object({ v: z.literal(1), wakes: z.literal('publication'), jobId: z.string() }),
]);

export type Ring = z.output<typeof payload>;

/** Wakes workers; what there is to do stands in the database. */
export const PARTS_QUEUE: QueueDefinition<Ring> = { name: 'parts', prefix: '{export}', payload };

/** Wakes workers. A ring that is lost only delays: the upkeep rings again. */
export interface Bell {
  /** For so many parts. */
  parts(total: number, delayMs?: number): Promise<void>;
  publication(jobId: string): Promise<void>;
  /** Rings that no worker has heard yet. */
  waiting(): Promise<number>;
  close(): Promise<void>;
}

/** Rings for one job at most; each part that is done rings for the next. */
export const RINGS_MAX = 8;

export function createBell(redisUrl: string, logger: Logger): Bell {
  const producer = createProducer(PARTS_QUEUE, redisUrl, logger);
  const ring = (work: Promise<unknown>): Promise<void> =>
    work.then(
      () => undefined,
      (error: unknown) => logger.warn({ err: error }, 'workers could not be woken; the upkeep will'),
    );
  return {
    parts: (total, delayMs = 0) =>
      ring(Promise.all(Array.from({ length: Math.min(total, RINGS_MAX) }, () => producer.add({ v: 1, wakes: 'part' }, { delayMs })))),
    publication: (jobId) => ring(producer.add({ v: 1, wakes: 'publication', jobId })),
    waiting: () => producer.waiting(),
    close: () => producer.close(),
  };
}
