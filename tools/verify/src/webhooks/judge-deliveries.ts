import type { Pool } from 'pg';
import type { Arrived } from './receivers';

const ROUTE = '/api/public/market-state/webhooks/deliveries';

type StoredFacts = Pick<DeliveryFacts, 'deliveries' | 'attempts' | 'restless'>;

export async function readStored(pool: Pool): Promise<StoredFacts> {
  const deliveries = await pool.query<StoredDelivery>(
    `SELECT delivery_id AS "deliveryId", message_id AS "messageId", endpoint_id AS "endpointId", status, attempts, credits,
       claimed_by IS NOT NULL OR claimed_ms IS NOT NULL AS "isClaimed" FROM delivery`,
  );
  const attempts = await pool.query<StoredAttempt>('SELECT message_id AS "messageId", endpoint_id AS "endpointId", outcome FROM attempt');
  const lanes = await pool.query<{ endpoint_id: string }>(
    'SELECT endpoint_id FROM lane WHERE next_due_ms IS NOT NULL OR rung_ms IS NOT NULL',
  );
  return { deliveries: deliveries.rows, attempts: attempts.rows, restless: lanes.rows.map((lane) => lane.endpoint_id) };
}

export async function readCharged(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ operation_id: string }>('SELECT operation_id FROM receipt WHERE route = $1', [ROUTE]);
  return rows.map((receipt) => receipt.operation_id);
}

export async function readMessageIds(pool: Pool): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ occasion: string; message_id: string }>('SELECT occasion, message_id FROM message');
  return new Map(rows.map((message) => [message.occasion, message.message_id]));
}

export function countClaims(pool: Pool): Promise<number> {
  return countOf(pool, 'SELECT count(*)::int AS total FROM delivery WHERE claimed_by IS NOT NULL');
}

/** Unfinished work: pending or claimed deliveries, woken queues, unrecorded charges, tasks. */
export function countOpen(pool: Pool): Promise<number> {
  return countOf(
    pool,
    `SELECT ((SELECT count(*) FROM delivery WHERE due_ms IS NOT NULL OR claimed_by IS NOT NULL OR (status = 'delivered' AND NOT charged AND credits > 0))
       + (SELECT count(*) FROM lane WHERE next_due_ms IS NOT NULL OR rung_ms IS NOT NULL)
       + (SELECT count(*) FROM task WHERE finished_ms IS NULL))::int AS total`,
  );
}

async function countOf(pool: Pool, statement: string): Promise<number> {
  const { rows } = await pool.query<{ total: number }>(statement);
  return rows[0]?.total ?? 0;
}

interface StoredDelivery {
  readonly deliveryId: string;
  readonly messageId: string;
  readonly endpointId: string;
  readonly status: string;
  readonly attempts: number;
  readonly credits: number;
  readonly isClaimed: boolean;
}

interface StoredAttempt {
  readonly messageId: string;
  readonly endpointId: string;
  readonly outcome: string;
}

export interface DeliveryFacts {
  readonly wanted: readonly (readonly [messageId: string, endpointId: string])[];
  readonly deliveries: readonly StoredDelivery[];
  readonly attempts: readonly StoredAttempt[];
  readonly arrived: readonly Arrived[];
  readonly charged: readonly string[];
  /** Endpoints with a due or woken queue although nothing is pending. */
  readonly restless: readonly string[];
  /** Attempts possibly in flight when their workers were killed. */
  readonly underWayAtKills: number;
}

export interface Judgement {
  readonly lost: readonly string[];
  readonly unfinished: readonly string[];
  readonly unsigned: readonly string[];
  readonly receipts: readonly string[];
  readonly charges: readonly string[];
  readonly repeats: number;
  /** Requests without a receipt, because their workers were killed in between. */
  readonly unrecorded: number;
}

/** Compares receivers' requests with expected messages, receipts and charges. Pure. */
export function judgeDeliveries(facts: DeliveryFacts): Judgement {
  const taken = tally(facts.arrived.filter(({ outcome, fault }) => outcome === 'ok' && fault === '').map(pairOf));
  const receipts = compareReceipts(facts);
  const repeats = [...taken.values()].reduce((total, count) => total + count - 1, 0);
  return {
    lost: facts.wanted
      .filter(([messageId, endpointId]) => !taken.has(pairOf({ messageId, endpointId })))
      .map((pair) => `Lost: ${pair.join(' at ')}.`),
    unfinished: unfinished(facts),
    unsigned: unsigned(facts.arrived),
    receipts: [
      ...receipts.faults,
      ...atMost('requests have no receipt', receipts.unrecorded, facts.underWayAtKills),
      ...atMost('messages were repeated', repeats, facts.underWayAtKills),
    ],
    charges: wrongCharges(facts, taken),
    repeats,
    unrecorded: receipts.unrecorded,
  };
}

export function faultsOf({ lost, unfinished: left, unsigned: signatures, receipts, charges }: Judgement): string[] {
  return [...lost, ...left, ...signatures, ...receipts, ...charges];
}

function tally(keys: readonly string[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const key of keys) totals.set(key, (totals.get(key) ?? 0) + 1);
  return totals;
}

const pairOf = ({ messageId, endpointId }: { readonly messageId: string; readonly endpointId: string }): string =>
  `${messageId} at ${endpointId}`;

function atMost(what: string, total: number, most: number): string[] {
  return total <= most ? [] : [`${total} ${what}; at most ${most} attempts were in flight when their workers were killed.`];
}

function unfinished({ deliveries, restless }: DeliveryFacts): string[] {
  return [
    ...deliveries.filter(({ status }) => status !== 'delivered').map((kept) => `Not delivered, ${kept.status}: ${pairOf(kept)}.`),
    ...deliveries.filter(({ isClaimed }) => isClaimed).map((kept) => `Still claimed: ${pairOf(kept)}.`),
    ...restless.map((endpointId) => `The queue of ${endpointId} is woken, but nothing is pending.`),
  ];
}

function unsigned(arrived: readonly Arrived[]): string[] {
  const digests = new Map<string, string>();
  return arrived.flatMap((request) => {
    const { messageId, digest, fault } = request;
    const first = digests.get(messageId) ?? digest;
    digests.set(messageId, first);
    return [
      ...(fault === '' ? [] : [`Not verified (${fault}): ${pairOf(request)}.`]),
      ...(first === digest ? [] : [`Different body under the same id: ${pairOf(request)}.`]),
    ];
  });
}

/** Each receipt needs its request; a request may lack a receipt. */
function compareReceipts({ arrived, attempts, deliveries }: DeliveryFacts): { readonly faults: string[]; readonly unrecorded: number } {
  const requests = tally(arrived.map((request) => `${request.outcome}: ${pairOf(request)}`));
  const receipts = tally(attempts.map((attempt) => `${attempt.outcome}: ${pairOf(attempt)}`));
  const unseen = [...receipts].filter(([key, total]) => total > (requests.get(key) ?? 0));
  const noted = tally(attempts.map(pairOf));
  return {
    faults: [
      ...unseen.map(([key, total]) => `${total} receipts but ${requests.get(key) ?? 0} requests of ${key}.`),
      ...deliveries
        .filter((kept) => kept.attempts !== (noted.get(pairOf(kept)) ?? 0))
        .map((kept) => `${kept.attempts} attempts are counted but ${noted.get(pairOf(kept)) ?? 0} have receipts: ${pairOf(kept)}.`),
    ],
    unrecorded: [...requests].reduce((total, [key, count]) => total + Math.max(0, count - (receipts.get(key) ?? 0)), 0),
  };
}

function wrongCharges({ deliveries, charged }: DeliveryFacts, taken: ReadonlyMap<string, number>): string[] {
  const charges = tally(charged);
  const ids = new Set(deliveries.map(({ deliveryId }) => deliveryId));
  return [
    ...deliveries.flatMap((kept) => {
      const owed = taken.has(pairOf(kept)) ? kept.credits : 0;
      const total = charges.get(kept.deliveryId) ?? 0;
      return total === owed ? [] : [`Charged ${total} times instead of ${owed}: ${pairOf(kept)}.`];
    }),
    ...[...charges.keys()].filter((operation) => !ids.has(operation)).map((operation) => `Charged without a delivery: ${operation}.`),
  ];
}
