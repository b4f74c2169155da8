import type { Arrived } from './receivers';

/** A delivery as the database has it. */
export interface KeptDelivery {
  readonly deliveryId: string;
  readonly messageId: string;
  readonly endpointId: string;
  readonly status: string;
  readonly attempts: number;
  /** What it costs once it has arrived. */
  readonly credits: number;
  readonly isClaimed: boolean;
}

/** A receipt of an attempt. */
export interface KeptAttempt {
  readonly messageId: string;
  readonly endpointId: string;
  readonly outcome: string;
}

/** All that a run left. */
export interface DeliveryFacts {
  /** Each message and endpoint that must have come together, tests not among them. */
  readonly wanted: readonly (readonly [messageId: string, endpointId: string])[];
  readonly deliveries: readonly KeptDelivery[];
  readonly attempts: readonly KeptAttempt[];
  readonly arrived: readonly Arrived[];
  /** Receipts of account, an operation each. */
  readonly charged: readonly string[];
  /** Endpoints whose lane is due or rung though nothing waits. */
  readonly restless: readonly string[];
  /** Attempts that may have been under way when their workers were killed. */
  readonly underWayAtKills: number;
}

/** What judges found. */
export interface Judgement {
  readonly lost: readonly string[];
  readonly unfinished: readonly string[];
  readonly unsigned: readonly string[];
  readonly receipts: readonly string[];
  readonly charges: readonly string[];
  /** Requests that brought a message again to an endpoint that had taken it. */
  readonly repeats: number;
  /** Requests without a receipt: their workers were killed in between. */
  readonly unrecorded: number;
}

/** Holds what receivers saw against what was promised, noted and charged. Pure. */
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
      ...atMost('messages were taken again', repeats, facts.underWayAtKills),
    ],
    charges: wrongCharges(facts, taken),
    repeats,
    unrecorded: receipts.unrecorded,
  };
}

/** Every sentence of a judgement. */
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
  return total <= most ? [] : [`${total} ${what}; ${most} attempts at most were under way when their workers were killed.`];
}

function unfinished({ deliveries, restless }: DeliveryFacts): string[] {
  return [
    ...deliveries.filter(({ status }) => status !== 'delivered').map((kept) => `Not delivered, ${kept.status}: ${pairOf(kept)}.`),
    ...deliveries.filter(({ isClaimed }) => isClaimed).map((kept) => `Still claimed: ${pairOf(kept)}.`),
    ...restless.map((endpointId) => `The lane of ${endpointId} is rung, and nothing waits.`),
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
      ...(first === digest ? [] : [`Another body under the same id: ${pairOf(request)}.`]),
    ];
  });
}

/** Each receipt needs its request; a request may be without one. */
function compareReceipts({ arrived, attempts, deliveries }: DeliveryFacts): { readonly faults: string[]; readonly unrecorded: number } {
  const requests = tally(arrived.map((request) => `${request.outcome}: ${pairOf(request)}`));
  const receipts = tally(attempts.map((attempt) => `${attempt.outcome}: ${pairOf(attempt)}`));
  const unseen = [...receipts].filter(([key, total]) => total > (requests.get(key) ?? 0));
  const noted = tally(attempts.map(pairOf));
  return {
    faults: [
      ...unseen.map(([key, total]) => `${total} receipts and ${requests.get(key) ?? 0} requests of ${key}.`),
      ...deliveries
        .filter((kept) => kept.attempts !== (noted.get(pairOf(kept)) ?? 0))
        .map((kept) => `${kept.attempts} attempts are counted and ${noted.get(pairOf(kept)) ?? 0} have receipts: ${pairOf(kept)}.`),
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
    ...[...charges.keys()].filter((operation) => !ids.has(operation)).map((operation) => `Charged for no delivery: ${operation}.`),
  ];
}
