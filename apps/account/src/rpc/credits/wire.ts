import { account } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { type CreditKind, WORKLOAD_FAMILIES } from '@market-state/pricing';
import type { Control, Shortfall } from '../../credits/limits';
import type { Priced } from '../../credits/receipt';
import { lengthFaults } from '../fields';

const CONTROLS: Readonly<Record<Control, account.CreditControl>> = {
  balance: account.CreditControl.BALANCE,
  monthly_credit_cap: account.CreditControl.MONTHLY_CREDIT_CAP,
  daily_credit_cap: account.CreditControl.DAILY_CREDIT_CAP,
  export_credit_cap: account.CreditControl.EXPORT_CREDIT_CAP,
};

const FAMILIES: ReadonlySet<string> = new Set(WORKLOAD_FAMILIES);
const ID_LENGTH_MAX = 255;

export function toProtoRefusal({ control, available, resetsMs }: Shortfall): account.Refusal {
  return { control: CONTROLS[control], available, resetsTsMs: resetsMs ?? 0 };
}

export function toProtoKind(kind: CreditKind): account.CreditKind {
  return kind === 'export' ? account.CreditKind.EXPORT : account.CreditKind.MARKET_STATE;
}

export function toProtoPriced(priced: Priced): account.Priced {
  return { ...priced, artifactIds: [...priced.artifactIds] };
}

/** An id that names something: 1 to 255 characters. */
export function idFaults(field: string, id: string): Fault[] {
  return lengthFaults(field, id, 1, ID_LENGTH_MAX);
}

/** Who called: a tenant, and either a key or an account. */
export function callerFaults(field: string, caller: account.Caller | undefined): Fault[] {
  if (caller === undefined) return [{ field, message: 'must be given', type: 'required' }];
  const who = (caller.keyId === '') !== (caller.accountId === '');
  return [...idFaults(`${field}.tenant_id`, caller.tenantId), ...(who ? [] : [{ field, message: 'must name a key or an account, one of the two', type: 'required' }])];
}

/** What work costs: a family of the price table, and nothing observed above its estimate. */
export function pricedFaults(field: string, priced: account.Priced | undefined): Fault[] {
  if (priced === undefined) return [{ field, message: 'must be given', type: 'required' }];
  const above = (kind: string, observed: number, estimated: number): Fault[] =>
    observed <= estimated ? [] : [{ field: `${field}.observed_${kind}_credits`, message: `must be the estimate of ${estimated} at most`, type: 'out_of_range' }];
  return [
    ...lengthFaults(`${field}.method`, priced.method, 1, ID_LENGTH_MAX),
    ...lengthFaults(`${field}.route`, priced.route, 1, ID_LENGTH_MAX),
    ...lengthFaults(`${field}.price_version`, priced.priceVersion, 1, ID_LENGTH_MAX),
    ...(FAMILIES.has(priced.workloadFamily) ? [] : [{ field: `${field}.workload_family`, message: 'must be a family of the price table', type: 'unknown' }]),
    ...above('market_state', priced.observedMarketStateCredits, priced.estimatedMarketStateCredits),
    ...above('export', priced.observedExportCredits, priced.estimatedExportCredits),
  ];
}
