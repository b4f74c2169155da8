import type { account } from '@market-state/contracts';
import { inTransaction, isDataRejection, type Queryable } from '@market-state/postgres';
import { z } from 'zod';
import { creditsOf, type MessageDraft, OPERATIONAL_META } from '../messages/message';
import { recordMessages } from '../messages/record-messages';
import { setPlanOfTenant } from '../store/endpoints';
import type { EvaluatorDeps } from './evaluator-deps';

const PAGE_SIZE = 200;
const TURNS = 5;
const PLAN_CHANGED = 'plan.changed';
/**
 * A gateway applies a plan change within a second; until then, endpoints may still be created under the previous plan.
 * Includes a margin.
 */
const YOUNG_MS = 10_000;
const payload = z.object({ plan_id: z.string().min(1) });
const members = z.record(z.string(), z.unknown());
/** Kinds sent to customers; other entries produce no message. */
const NOTIFIED_KINDS: ReadonlySet<string> = new Set(['export.finished', 'usage.threshold_reached']);

interface Outbox {
  listOutbox(request: { pageSize: number }): Promise<account.ListOutboxResponse>;
  ackOutbox(request: { ids: string[] }): Promise<unknown>;
}

type TakerDeps = Pick<EvaluatorDeps, 'pool' | 'notifier' | 'clock' | 'logger' | 'metrics'>;

/** Acknowledges entries once they are messages. One that fails blocks no others and is dropped after five rounds. */
export function outboxTaker(deps: TakerDeps, outbox: Outbox): () => Promise<void> {
  const failures = new Map<string, number>();

  function giveUp({ id, kind, tenantId }: account.OutboxEntry, error: unknown): boolean {
    const failed = (failures.get(id) ?? 0) + 1;
    failures.set(id, failed);
    deps.logger.warn({ err: error, entry: id, kind, tenant_id: tenantId, failed }, 'an outbox entry could not become a message');
    if (failed < TURNS) return false;
    failures.delete(id);
    deps.logger.error({ entry: id, kind, tenant_id: tenantId }, 'outbox entry dropped after repeated failures');
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
  const drafts = entries.filter(({ kind }) => NOTIFIED_KINDS.has(kind)).map(draftOf);
  const { wakeUps } = await inTransaction(pool, (client) => recordMessages(client, drafts, clock()));
  await notifier.notify(wakeUps);
}

/** Applies plan changes to tenants' endpoints, in order. */
async function takePlans(on: Queryable, entries: readonly account.OutboxEntry[]): Promise<void> {
  for (const entry of entries) {
    if (entry.kind !== PLAN_CHANGED) continue;
    const { plan_id: planId } = payload.parse(JSON.parse(entry.payload.toString()));
    await setPlanOfTenant(on, entry.tenantId, planId);
  }
}

/** A recent plan change is applied again, for endpoints created under the previous plan. */
function isPlanYoung({ kind, createdTsMs }: account.OutboxEntry, nowMs: number): boolean {
  return kind === PLAN_CHANGED && nowMs - createdTsMs < YOUNG_MS;
}

/** True for permanent failures: the entry is malformed or the database rejects its data. */
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

function withRoutes(data: Record<string, unknown>): object {
  const { job_id: jobId } = data;
  if (typeof jobId !== 'string') return data;
  const job = `/api/public/data/export/jobs/${jobId}`;
  return { ...data, routes: { job, result: `${job}/result` } };
}
