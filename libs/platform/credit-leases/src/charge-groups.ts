import type { Caller, Charge, ChargeGroup, Priced } from './credit-calls';

/** An equal older group only makes the message longer. */
const COMPARED_MAX = 4;

/** Charges in columns: those of one caller at one price share a group. */
export interface ChargeGroups {
  add(charge: Charge): void;
  take(most: number): ChargeGroup[];
  total(): number;
  credits(): number;
}

export function createChargeGroups(): ChargeGroups {
  let groups: ChargeGroup[] = [];
  let total = 0;

  function groupOf({ caller, priced, status }: Charge): ChargeGroup {
    for (let at = groups.length - 1; at >= Math.max(0, groups.length - COMPARED_MAX); at -= 1) {
      const group = groups[at];
      if (group?.status === status && isSameCaller(group.caller, caller) && isSamePriced(group.priced, priced)) return group;
    }
    const made: ChargeGroup = { caller, priced, status, operationIds: [], requestIds: [], servedTsMs: [] };
    groups.push(made);
    return made;
  }

  return {
    add(charge) {
      const { operationIds, requestIds, servedTsMs } = groupOf(charge);
      operationIds.push(charge.operationId);
      requestIds.push(charge.requestId);
      servedTsMs.push(charge.servedTsMs);
      total += 1;
    },
    take(most) {
      if (total <= most) {
        const all = groups;
        groups = [];
        total = 0;
        return all;
      }
      const taken: ChargeGroup[] = [];
      for (let left = most; left > 0; left -= taken.at(-1)?.operationIds.length ?? 0) {
        const [first, ...others] = groups;
        if (first === undefined) break;
        taken.push(part(first, 0, left));
        groups = first.operationIds.length > left ? [part(first, left), ...others] : others;
      }
      total -= totalOf(taken);
      return taken;
    },
    total: () => total,
    credits: () => creditsOf(groups),
  };
}

export function totalOf(groups: readonly ChargeGroup[]): number {
  return groups.reduce((sum, { operationIds }) => sum + operationIds.length, 0);
}

/** Market-state credits. */
export function creditsOf(groups: readonly ChargeGroup[]): number {
  return groups.reduce((sum, { priced, operationIds }) => sum + (priced?.observedMarketStateCredits ?? 0) * operationIds.length, 0);
}

/** In the order in which they were served. */
export function chargesOf(groups: readonly ChargeGroup[]): Charge[] {
  return groups
    .flatMap(({ caller, priced, status, operationIds, requestIds, servedTsMs }) =>
      operationIds.map((operationId, at) => ({
        operationId,
        requestId: requestIds[at] ?? '',
        caller,
        priced,
        status,
        servedTsMs: servedTsMs[at] ?? 0,
      })),
    )
    .sort((a, b) => a.servedTsMs - b.servedTsMs);
}

function part({ operationIds, requestIds, servedTsMs, ...shared }: ChargeGroup, from: number, to?: number): ChargeGroup {
  return {
    ...shared,
    operationIds: operationIds.slice(from, to),
    requestIds: requestIds.slice(from, to),
    servedTsMs: servedTsMs.slice(from, to),
  };
}

function isSameCaller(a: Caller | undefined, b: Caller | undefined): boolean {
  if (a === b) return true;
  return a?.keyId === b?.keyId && a?.accountId === b?.accountId && a?.tenantId === b?.tenantId;
}

function isSamePriced(a: Priced | undefined, b: Priced | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return (
    a.route === b.route &&
    a.method === b.method &&
    a.observedMarketStateCredits === b.observedMarketStateCredits &&
    a.estimatedMarketStateCredits === b.estimatedMarketStateCredits &&
    a.observedExportCredits === b.observedExportCredits &&
    a.estimatedExportCredits === b.estimatedExportCredits &&
    a.workloadFamily === b.workloadFamily &&
    a.priceVersion === b.priceVersion &&
    a.quoteId === b.quoteId &&
    a.artifactIds.length === 0 &&
    b.artifactIds.length === 0
  );
}
