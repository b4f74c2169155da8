import { account } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { type CreditKind, WORKLOAD_FAMILIES } from '@market-state/pricing';
import { idFaults, optionalIdFaults } from '@market-state/request-checks';
import type { Balance } from '../../credits/balances';
import type { Control, Shortfall } from '../../credits/limits';
import { CREDIT_KINDS } from '../../credits/credit-ledger';
import type { Priced } from '../../credits/receipt';
import { toProtoCeiling } from '../ceiling';

const CONTROLS: Readonly<Record<Control, account.CreditControl>> = {
  balance: account.CreditControl.BALANCE,
  monthly_credit_cap: account.CreditControl.MONTHLY_CREDIT_CAP,
  daily_credit_cap: account.CreditControl.DAILY_CREDIT_CAP,
  export_credit_cap: account.CreditControl.EXPORT_CREDIT_CAP,
  per_call_credit_ceiling: account.CreditControl.PER_CALL_CREDIT_CEILING,
  credit_ceiling: account.CreditControl.CREDIT_CEILING,
};

const FAMILIES: ReadonlySet<string> = new Set(WORKLOAD_FAMILIES);

/** A quote includes a signature. */
const QUOTE_LENGTH_MAX = 1_024;

export function toProtoRefusal({ control, available, resetsMs, ceiling }: Shortfall): account.Refusal {
  const refused = { control: CONTROLS[control], available, resetsTsMs: resetsMs ?? 0 };
  return ceiling === null ? refused : { ...refused, ceiling: toProtoCeiling(ceiling) };
}

export function toProtoKind(kind: CreditKind): account.CreditKind {
  return kind === 'export' ? account.CreditKind.EXPORT : account.CreditKind.MARKET_STATE;
}

export function fromProtoKind(kind: account.CreditKind): CreditKind | undefined {
  return CREDIT_KINDS.find((word) => toProtoKind(word) === kind);
}

export function toProtoBalance({ kind, ...balance }: Balance): account.Balance {
  return { kind: toProtoKind(kind), ...balance };
}

export function toProtoPriced(priced: Priced): account.Priced {
  return { ...priced, artifactIds: [...priced.artifactIds] };
}

export function keyIdFaults(keyId: string | undefined): Fault[] {
  return keyId === undefined ? [] : idFaults('key_id', keyId);
}

/** A tenant with a key or an account, or neither for work without a call. */
export function callerFaults(field: string, caller: account.Caller | undefined): Fault[] {
  if (caller === undefined) return [{ field, message: 'is required', type: 'required' }];
  const isOne = caller.keyId === '' || caller.accountId === '';
  return [
    ...idFaults(`${field}.tenant_id`, caller.tenantId),
    ...optionalIdFaults(`${field}.key_id`, caller.keyId),
    ...optionalIdFaults(`${field}.account_id`, caller.accountId),
    ...(isOne ? [] : [{ field, message: 'must not name both a key and an account', type: 'mismatch' }]),
  ];
}

/** The family must be priced, and nothing observed may exceed its estimate. */
export function pricedFaults(field: string, priced: account.Priced | undefined): Fault[] {
  if (priced === undefined) return [{ field, message: 'is required', type: 'required' }];
  const above = (kind: string, observed: number, estimated: number): Fault[] =>
    observed <= estimated
      ? []
      : [{ field: `${field}.observed_${kind}_credits`, message: `must be at most the estimate of ${estimated}`, type: 'out_of_range' }];
  return [
    ...idFaults(`${field}.method`, priced.method),
    ...idFaults(`${field}.route`, priced.route),
    ...idFaults(`${field}.price_version`, priced.priceVersion),
    ...optionalIdFaults(`${field}.quote_id`, priced.quoteId, QUOTE_LENGTH_MAX),
    ...artifactFaults(`${field}.artifact_ids`, priced.artifactIds),
    ...(FAMILIES.has(priced.workloadFamily)
      ? []
      : [{ field: `${field}.workload_family`, message: 'must be a family in the price table', type: 'unknown' }]),
    ...above('market_state', priced.observedMarketStateCredits, priced.estimatedMarketStateCredits),
    ...above('export', priced.observedExportCredits, priced.estimatedExportCredits),
  ];
}

export function artifactFaults(field: string, artifactIds: readonly string[]): Fault[] {
  return artifactIds.flatMap((id, index) => idFaults(`${field}[${index}]`, id));
}
