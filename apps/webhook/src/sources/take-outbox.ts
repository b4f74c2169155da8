import type { account } from '@market-state/contracts';
import { inTransaction } from '@market-state/postgres';
import type { EvaluatorDeps } from '../evaluation/evaluator-deps';
import { creditsOf } from '../messages/credits';
import { OPERATIONAL_META } from '../messages/notices';
import { recordMessages } from '../messages/record-messages';

const PAGE_SIZE = 200;
/** Kinds that are told to customers; what else is in an outbox is taken and told to nobody. */
const TOLD: ReadonlySet<string> = new Set(['export.finished', 'usage.threshold_reached']);

/** Where a service says what happened in it; the same calls in account and export. */
export interface Outbox {
  listOutbox(request: { pageSize: number }): Promise<account.ListOutboxResponse>;
  ackOutbox(request: { ids: string[] }): Promise<unknown>;
}

/** Makes messages of a page of an outbox, then acknowledges it: one that is given twice is told once. @returns how many it held */
export async function takeOutbox({ pool, bell, clock }: Pick<EvaluatorDeps, 'pool' | 'bell' | 'clock'>, outbox: Outbox): Promise<number> {
  const { entries } = await outbox.listOutbox({ pageSize: PAGE_SIZE });
  if (entries.length === 0) return 0;
  const drafts = entries
    .filter(({ kind }) => TOLD.has(kind))
    .map(({ tenantId, kind, occasion, payload }) => ({
      tenantId,
      eventKind: kind,
      occasion: `${kind} ${occasion}`,
      symbol: '',
      data: withRoutes(JSON.parse(payload.toString()) as Record<string, unknown>),
      meta: OPERATIONAL_META,
      credits: creditsOf(kind),
    }));
  const { rings } = await inTransaction(pool, (client) => recordMessages(client, drafts, clock()));
  await outbox.ackOutbox({ ids: entries.map(({ id }) => id) });
  await bell.ring(rings);
  return entries.length;
}

/** Where a job and its files are found. */
function withRoutes(data: Record<string, unknown>): object {
  const { job_id: jobId } = data;
  if (typeof jobId !== 'string') return data;
  const job = `/api/public/data/export/jobs/${jobId}`;
  return { ...data, routes: { job, result: `${job}/result` } };
}
