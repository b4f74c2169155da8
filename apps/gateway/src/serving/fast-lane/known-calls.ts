import type { account } from '@market-state/contracts';
import type { CallPrice } from '@market-state/pricing';
import type { Grant } from '../auth/grant';
import { priceOfCall } from '../metering/call-price';
import { callerOf } from '../metering/charge';
import type { Operation } from '../openapi/operations';
import type { QueryValues } from './fast-read';

/** What every call of one grant with one query has in common. */
export interface KnownCall {
  readonly symbolTotal: number;
  readonly price: CallPrice;
  readonly caller: account.Caller;
}

/** Calls by grant and query; they are priced anew when another number of symbols is served. */
export function rememberCalls(operation: Operation, symbolTotalNow: () => number): (grant: Grant, query: QueryValues) => KnownCall {
  const known = new WeakMap<Grant, WeakMap<QueryValues, KnownCall>>();

  function make(grant: Grant, query: QueryValues, symbolTotal: number): KnownCall {
    const input = { query, path: {}, headers: {}, body: undefined };
    return { symbolTotal, price: priceOfCall(operation, input, { symbolTotal, planId: grant.plan.planId }), caller: callerOf(grant) };
  }

  return (grant, query) => {
    const symbolTotal = symbolTotalNow();
    const ofGrant = known.get(grant) ?? new WeakMap<QueryValues, KnownCall>();
    const before = ofGrant.get(query);
    if (before !== undefined && before.symbolTotal === symbolTotal) return before;
    const made = make(grant, query, symbolTotal);
    ofGrant.set(query, made);
    known.set(grant, ofGrant);
    return made;
  };
}
