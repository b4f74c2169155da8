import type { Pool } from 'pg';
import { sumOf, type Answer } from '@market-state/testing';
import { firstOf, type Report } from '../harness';
import type { Death } from './faults';

/** A call that was answered 200 or 304; times are of `performance.now()`. */
interface ServedCall {
  readonly requestId: string;
  readonly tenantId: string;
  /** As its answer told. */
  readonly credits: number;
  readonly gateway: number;
  /** Of that gateway: how often it had been killed when the call was sent. */
  readonly life: number;
  readonly endMs: number;
}

/** A call whose connection broke before a whole answer was there. */
export interface LostCall {
  readonly requestId: string;
  readonly gateway: number;
  readonly sentMs: number;
  readonly lostMs: number;
}

/** What became of every call, as its caller saw it. */
export class CallLog {
  readonly served: ServedCall[] = [];
  readonly lost: LostCall[] = [];
  readonly refused = new Map<number, number>();
  readonly refusedIds = new Set<string>();
  /** Refusals that tell a charge. */
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

/** Charges between two batches, and so what a gateway forgets that dies in calm; more while account could not be reached. */
const FORGIVEN_MS_MAX = 100;
const FORGIVEN_TROUBLED_MS_MAX = 5_000;
/** What a batch takes on a machine with other work. */
const POSTING_MS_MAX = 400;
/** A connection that nobody used is dropped by then. */
const STALE_MS_MAX = 5_000;
/** Calls that can be under way at a gateway. */
const UNDER_WAY_MAX = 24;
const SHOWN_MAX = 10;

interface ReceiptRow {
  readonly request_id: string;
  readonly tenant_id: string;
  readonly credits: number;
}

/**
 * Compares receipts with answers: each charged call was answered well, at its price, once; what was answered and not charged died with its
 * gateway.
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
      if (log.refusedIds.has(id)) return [`Call ${id} was refused and charged ${credits}.`];
      if (call === undefined && !lost.has(id)) return [`Call ${id} was charged ${credits} and never made.`];
      return call !== undefined && (call.credits !== credits || call.tenantId !== tenantId)
        ? [`Call ${id} told ${call.credits} and was charged ${credits}.`]
        : [];
    }),
    ...log.charging.map((answer) => `A refusal tells a charge: ${answer}`),
    ...forgiven
      .filter((call) => !deaths.some((death) => isOf(call, death)))
      .map(({ requestId }) => `Call ${requestId} was not charged, though its gateway did not die.`),
    // A connection may be dropped as idle while a call is sent on it: then nothing was done.
    ...lostCharged
      .filter((call) => !deaths.some((death) => isLostAt(call, death)))
      .map(({ requestId }) => `Call ${requestId} was charged without an answer, though its gateway did not die.`),
    ...spans
      .filter(({ spanMs }) => spanMs > FORGIVEN_TROUBLED_MS_MAX + FORGIVEN_MS_MAX)
      .map(({ spanMs }) => `A gateway that was killed forgot the charges of ${Math.round(spanMs)} ms.`),
    ...tooManyLost(log.lost, deaths),
  ];
  const calm = spans.filter(({ death }) => death.isCalm);
  report.fail(...firstOf(failures, SHOWN_MAX));
  for (const { spanMs } of calm)
    report.checkTime(
      spanMs <= FORGIVEN_MS_MAX + POSTING_MS_MAX,
      `A gateway that was killed in calm forgot the charges of ${Math.round(spanMs)} ms.`,
    );
  report.figure('calls charged, credits', `${receipts.size}, ${sumOf(rows.map(({ credits }) => credits))}`);
  report.figure('calls forgiven, of those without an answer charged', `${forgiven.length}, ${lostCharged.length}`);
  report.figure(
    'charges forgotten by a gateway, ms: killed in calm, otherwise',
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
 * Deaths at which more calls had no answer than were under way, or more that were sent afterwards than connections that could still seem
 * open: those that were kept, and those that the system had taken for a process that was dead already. A call is lost at one death: of
 * several of its gateway within seconds, at the last.
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
 * What a death forgot, of the tenant that lost most: in calm from the first answer that was forgotten to the death, otherwise to the last
 * answer that was, since a gateway that account does not answer stops serving, and may die later.
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
