import type { account } from '@market-state/contracts';
import { inTransaction, isDataRejection, type Queryable } from '@market-state/postgres';
import { z } from 'zod';
import { creditsOf, type MessageDraft } from '../messages/draft';
import { OPERATIONAL_META } from '../messages/notices';
import { recordMessages } from '../messages/record-messages';
import { setPlanOfTenant } from '../store/endpoints';
import type { EvaluatorDeps } from './evaluator-deps';

const PAGE_SIZE = 200;
/** Turns in which an entry may fail before it is given up. */
const TURNS = 5;
const PLAN_CHANGED = 'plan.changed';
/** A gateway takes up a change of plan within a second: longer than that, an endpoint may still be made under the plan before. */
const YOUNG_MS = 10_000;
const payload = z.object({ plan_id: z.string().min(1) });
const members = z.record(z.string(), z.unknown());
/** Kinds that are told to customers; what else is in an outbox is told to nobody. */
const TOLD: ReadonlySet<string> = new Set(['export.finished', 'usage.threshold_reached']);

/** Where a service says what happened in it; the same calls in account and export. */
interface Outbox {
  listOutbox(request: { pageSize: number }): Promise<account.ListOutboxResponse>;
  ackOutbox(request: { ids: string[] }): Promise<unknown>;
}

type TakerDeps = Pick<EvaluatorDeps, 'pool' | 'notifier' | 'clock' | 'logger' | 'metrics'>;

/**
 * Makes messages of all that an outbox holds, then acknowledges it: what is given twice is told once. An entry that no message can be made
 * of is left behind while the rest goes on, and is given up after five turns.
 */
export function outboxTaker(deps: TakerDeps, outbox: Outbox): () => Promise<void> {
  const failures = new Map<string, number>();

  /** @returns whether the entry is done with */
  function giveUp({ id, kind, tenantId }: account.OutboxEntry, error: unknown): boolean {
    const failed = (failures.get(id) ?? 0) + 1;
    failures.set(id, failed);
    deps.logger.warn({ err: error, entry: id, kind, tenant_id: tenantId, failed }, 'no message could be made of an outbox entry');
    if (failed < TURNS) return false;
    failures.delete(id);
    deps.logger.error({ entry: id, kind, tenant_id: tenantId }, 'an outbox entry is given up');
    deps.metrics.skipped(kind);
    return true;
  }

  async function takeOne(entry: account.OutboxEntry): Promise<boolean> {
    try {
      await record(deps, [entry]);
      failures.delete(entry.id);
      return true;
    } catch (error) {
      if (!isOfEntry(error)) throw error;
      return giveUp(entry, error);
    }
  }

  return async () => {
    for (;;) {
      const { entries } = await outbox.listOutbox({ pageSize: PAGE_SIZE });
      if (entries.length === 0) return;
      const taken = await takeTogether(deps, entries);
      const done: string[] = [];
      for (const entry of entries) if ((taken || (await takeOne(entry))) && !isPlanYoung(entry, deps.clock())) done.push(entry.id);
      if (done.length > 0) await outbox.ackOutbox({ ids: done });
      if (done.length < entries.length) return;
    }
  };
}

/** @returns false when an entry of them is at fault */
async function takeTogether(deps: TakerDeps, entries: readonly account.OutboxEntry[]): Promise<boolean> {
  try {
    await record(deps, entries);
    return true;
  } catch (error) {
    if (isOfEntry(error)) return false;
    throw error;
  }
}

async function record({ pool, notifier, clock }: TakerDeps, entries: readonly account.OutboxEntry[]): Promise<void> {
  await takePlans(pool, entries);
  const drafts = entries.filter(({ kind }) => TOLD.has(kind)).map(draftOf);
  const { wakeUps } = await inTransaction(pool, (client) => recordMessages(client, drafts, clock()));
  await notifier.notify(wakeUps);
}

/** Puts the endpoints of tenants under the plans that they have changed to, in the order of the changes. */
async function takePlans(on: Queryable, entries: readonly account.OutboxEntry[]): Promise<void> {
  for (const entry of entries) {
    if (entry.kind !== PLAN_CHANGED) continue;
    const { plan_id: planId } = payload.parse(JSON.parse(entry.payload.toString()));
    await setPlanOfTenant(on, entry.tenantId, planId);
  }
}

/** Whether a change of plan must be taken again, for endpoints that are made under the plan before. */
function isPlanYoung({ kind, createdTsMs }: account.OutboxEntry, nowMs: number): boolean {
  return kind === PLAN_CHANGED && nowMs - createdTsMs < YOUNG_MS;
}

/** Whether the same entry would fail again: it cannot be read, or the database does not take what it has. */
function isOfEntry(error: unknown): boolean {
  return error instanceof SyntaxError || error instanceof z.ZodError || isDataRejection(error);
}

function draftOf({ tenantId, kind, occasion, payload }: account.OutboxEntry): MessageDraft {
  return {
    tenantId,
    eventKind: kind,
    occasion: `${kind} ${occasion}`,
    symbol: '',
    data: withRoutes(members.parse(JSON.parse(payload.toString()))),
    meta: OPERATIONAL_META,
    credits: creditsOf(kind),
  };
}

/** Where a job and its files are found. */
function withRoutes(data: Record<string, unknown>): object {
  const { job_id: jobId } = data;
  if (typeof jobId !== 'string') return data;
  const job = `/api/public/data/export/jobs/${jobId}`;
  return { ...data, routes: { job, result: `${job}/result` } };
}
