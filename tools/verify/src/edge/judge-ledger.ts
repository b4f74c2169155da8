import type { Pool } from 'pg';
import { sumOf, type Answer } from '@market-state/testing';
import { firstOf, type Report } from '../harness';
import type { Death } from './faults';

/** A call answered with 200 or 304; times are of `performance.now()`. */
interface ServedCall {
  readonly requestId: string;
  readonly tenantId: string;
  /** Stated in its answer. */
  readonly credits: number;
  readonly gateway: number;
  /** Kills of its gateway before the call was sent. */
  readonly life: number;
  readonly endMs: number;
}

/** A call whose connection broke before the answer was complete. */
export interface LostCall {
  readonly requestId: string;
  readonly gateway: number;
  readonly sentMs: number;
  readonly lostMs: number;
}

export class CallLog {
  readonly served: ServedCall[] = [];
  readonly lost: LostCall[] = [];
  readonly refused = new Map<number, number>();
  readonly refusedIds = new Set<string>();
  readonly charging: string[] = [];

  serve(call: ServedCall): void {
    this.served.push(call);
  }

  lose(call: LostCall): void {
    this.lost.push(call);
  }

  refuse({ status, headers, text }: Answer, requestId: string): void {
    this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
    this.refusedIds.add(requestId);
    if ((headers['x-credits-charged'] ?? '0') !== '0') this.charging.push(`${status} ${text}`);
  }

  refusedTotal(): number {
    return this.refusedIds.size;
  }
}

/**
 * Time between two batches, and so the charges that a gateway killed in calm may lose; more while account is
 * unreachable.
 */
const FORGIVEN_MS_MAX = 100;
const FORGIVEN_TROUBLED_MS_MAX = 5_000;
const POSTING_MS_MAX = 400;
/** Unused connections are dropped within this time. */
const STALE_MS_MAX = 5_000;
const UNDER_WAY_MAX = 24;
const SHOWN_MAX = 10;

interface ReceiptRow {
  readonly request_id: string;
  readonly tenant_id: string;
  readonly credits: number;
}

/**
 * Compares receipts with answers: each charged call was answered successfully and charged once at its price; an
 * answered call without a charge belongs to a killed gateway.
 */
export async function judgeLedger(
  report: Report,
  pool: Pool,
  tenantIds: readonly string[],
  log: CallLog,
  deaths: readonly Death[],
): Promise<void> {
  const { rows } = await pool.query<ReceiptRow>(
    `SELECT request_id, tenant_id, observed_market_state_credits::int AS credits FROM receipt WHERE tenant_id = ANY($1)`,
    [tenantIds],
  );
  const lost = new Set(log.lost.map(({ requestId }) => requestId));
  const receipts = new Map(rows.map((row) => [row.request_id, row]));
  const served = new Map(log.served.map((call) => [call.requestId, call]));
  const forgiven = log.served.filter(({ requestId }) => !receipts.has(requestId));
  const lostCharged = log.lost.filter(({ requestId }) => receipts.has(requestId));
  const spans = deaths.map((death) => ({ death, spanMs: spanOf(forgiven, death) }));
  const failures = [
    ...(rows.length === receipts.size ? [] : [`${rows.length - receipts.size} calls were charged twice.`]),
    ...rows.flatMap(({ request_id: id, tenant_id: tenantId, credits }) => {
      const call = served.get(id);
      if (log.refusedIds.has(id)) return [`Call ${id} was refused but charged ${credits}.`];
      if (call === undefined && !lost.has(id)) return [`Call ${id} was charged ${credits} but never made.`];
      return call !== undefined && (call.credits !== credits || call.tenantId !== tenantId)
        ? [`Call ${id} stated ${call.credits} but was charged ${credits}.`]
        : [];
    }),
    ...log.charging.map((answer) => `A refusal states a charge: ${answer}`),
    ...forgiven
      .filter((call) => !deaths.some((death) => isOf(call, death)))
      .map(({ requestId }) => `Call ${requestId} was not charged, although its gateway was not killed.`),
    // A connection may be dropped as idle while a call is sent on it; then no work was done.
    ...lostCharged
      .filter((call) => !deaths.some((death) => isLostAt(call, death)))
      .map(({ requestId }) => `Call ${requestId} was charged without an answer, although its gateway was not killed.`),
    ...spans
      .filter(({ spanMs }) => spanMs > FORGIVEN_TROUBLED_MS_MAX + FORGIVEN_MS_MAX)
      .map(({ spanMs }) => `A killed gateway lost the charges of ${Math.round(spanMs)} ms.`),
    ...tooManyLost(log.lost, deaths),
  ];
  const calm = spans.filter(({ death }) => death.isCalm);
  report.fail(...firstOf(failures, SHOWN_MAX));
  for (const { spanMs } of calm)
    report.checkTime(spanMs <= FORGIVEN_MS_MAX + POSTING_MS_MAX, `A gateway killed in calm lost the charges of ${Math.round(spanMs)} ms.`);
  report.figure('calls charged, credits', `${receipts.size}, ${sumOf(rows.map(({ credits }) => credits))}`);
  report.figure('calls not charged; calls charged without an answer', `${forgiven.length}, ${lostCharged.length}`);
  report.figure(
    'charges lost by a gateway, ms: killed in calm, otherwise',
    `${longest(calm)} at most in ${calm.length}, ${longest(spans.filter(({ death }) => !death.isCalm))} at most in ` +
      `${spans.length - calm.length}`,
  );
}

function isOf(call: ServedCall, { gateway, life }: Death): boolean {
  return call.gateway === gateway && call.life === life;
}

/** A connection that was open when the gateway died may be found broken only by the next call. */
function isLostAt({ gateway, sentMs, lostMs }: LostCall, death: Death): boolean {
  return gateway === death.gateway && sentMs - STALE_MS_MAX <= death.atMs && death.atMs <= lostMs;
}

/**
 * Reports deaths with more unanswered calls than were in flight, or with more calls sent afterwards than connections
 * that could still seem open: those in the pool, and those the kernel accepted for a dead process. A lost call counts
 * for one death of its gateway: the last within seconds.
 */
export function tooManyLost(lost: readonly LostCall[], deaths: readonly Death[]): string[] {
  return deaths.flatMap((death) => {
    const lostThen = lost.filter((call) => deaths.findLast((each) => isLostAt(call, each)) === death);
    const underWay = lostThen.filter(({ sentMs }) => sentMs <= death.atMs).length;
    const later = lostThen.length - underWay;
    return [
      ...(underWay <= UNDER_WAY_MAX ? [] : [`${underWay} calls had no answer when a gateway was killed.`]),
      ...(later <= UNDER_WAY_MAX ? [] : [`${later} calls had no answer that were sent after a gateway was killed.`]),
    ];
  });
}

/**
 * Span of charges lost by a death, for the tenant that lost most. In calm: from the first lost answer to the death;
 * otherwise to the last lost answer, because a gateway that cannot reach account stops serving and may die later.
 */
function spanOf(forgiven: readonly ServedCall[], death: Death): number {
  const ofDeath = forgiven.filter((call) => isOf(call, death));
  const endOf = (tenantId: string): number =>
    death.isCalm ? death.atMs : Math.max(...ofDeath.filter((call) => call.tenantId === tenantId).map((call) => call.endMs));
  return Math.max(0, ...ofDeath.map(({ tenantId, endMs }) => endOf(tenantId) - endMs));
}

function longest(spans: readonly { readonly spanMs: number }[]): number {
  return Math.round(Math.max(0, ...spans.map(({ spanMs }) => spanMs)));
}
