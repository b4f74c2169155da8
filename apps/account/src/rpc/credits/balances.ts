import { account } from '@market-state/contracts';
import { invalidArgument, type Fault } from '@market-state/errors';
import { idFaults, refuseFaults, instantFaults, rangeFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits/credits';
import * as ledger from '../../credits/balances';
import { fromProtoKind, keyIdFaults, toProtoBalance, toProtoRefusal, toProtoKind } from './wire';
import { toProtoCeiling } from '../ceiling';
import * as history from '../../credits/balance-history';
import type { BalanceAt } from '../../credits/balance-steps';

const DAY_MS = 86_400_000;
const DAYS_MAX = { hour: 31, day: 366 } as const;

export async function getBalanceHistory(
  credits: Credits,
  { tenantId, fromTsMs, toTsMs, step: wished }: account.GetBalanceHistoryRequest,
): Promise<account.GetBalanceHistoryResponse> {
  const step = fromProtoStep(wished);
  refuseFaults([
    ...idFaults('tenant_id', tenantId),
    ...instantFaults('from_ts_ms', fromTsMs),
    ...(step === undefined ? [{ field: 'step', message: 'must be hour or day', type: 'required' }] : []),
    ...spanFaults(fromTsMs, toTsMs, step ?? 'day'),
  ]);
  const span = { tenantId, fromMs: fromTsMs, toMs: toTsMs, step: step ?? 'day' } as const;
  const { opening, steps } = await history.getBalanceHistory(credits, span);
  return {
    opening: opening.map(toProtoBalanceAt),
    steps: steps.map(({ fromMs, toMs, closed, granted, charged, expired, returned, ...balance }) => ({
      fromTsMs: fromMs,
      toTsMs: toMs,
      closed,
      balance: toProtoBalanceAt(balance),
      granted,
      charged,
      expired,
      returned,
    })),
  };
}

function spanFaults(fromMs: number, toMs: number, step: keyof typeof DAYS_MAX): Fault[] {
  const daysMax = DAYS_MAX[step];
  if (toMs > fromMs && toMs - fromMs <= daysMax * DAY_MS) return instantFaults('to_ts_ms', toMs);
  return [{ field: 'to_ts_ms', message: `must be after from_ts_ms, by at most ${daysMax} days (step ${step})`, type: 'out_of_range' }];
}

function fromProtoStep(step: account.BalanceStep): 'hour' | 'day' | undefined {
  if (step === account.BalanceStep.HOUR) return 'hour';
  return step === account.BalanceStep.DAY ? 'day' : undefined;
}

function toProtoBalanceAt({ kind, available, held, leasedToGateways }: BalanceAt): account.BalanceAt {
  return { kind: toProtoKind(kind), available, held, leasedToGateways };
}

export async function getBalances(credits: Credits, { tenantId, keyId }: account.GetBalancesRequest): Promise<account.GetBalancesResponse> {
  refuseFaults([...idFaults('tenant_id', tenantId), ...keyIdFaults(keyId)]);
  const { balances, grants, ceiling } = await ledger.getBalances(credits, { tenantId, keyId: keyId ?? null });
  return {
    balances: balances.map(toProtoBalance),
    grants: grants.map(({ id, source, kind, amount, left, grantedMs, expiresMs }) => ({
      grantId: id,
      source,
      kind: toProtoKind(kind),
      amount,
      left,
      grantedTsMs: grantedMs,
      expiresTsMs: expiresMs ?? 0,
    })),
    ceiling: toProtoCeiling(ceiling),
  };
}

const UNACKNOWLEDGED_MAX = 100;

export async function previewCharge(credits: Credits, request: account.PreviewChargeRequest): Promise<account.PreviewChargeResponse> {
  const kind = fromProtoKind(request.kind);
  const faults = [
    ...idFaults('tenant_id', request.tenantId),
    ...keyIdFaults(request.keyId),
    ...(kind === undefined ? [{ field: 'kind', message: 'must be a kind of credit', type: 'required' }] : []),
    ...rangeFaults('unacknowledged', request.unacknowledged.length, 0, UNACKNOWLEDGED_MAX),
    ...request.unacknowledged.flatMap(({ leaseId }, index) => idFaults(`unacknowledged[${index}].lease_id`, leaseId)),
  ];
  if (faults.length > 0 || kind === undefined) throw invalidArgument(faults);
  const { tenantId, keyId = null, credits: needed, unacknowledged } = request;
  const { balances, refusal, after } = await ledger.previewCharge(credits, { tenantId, keyId, kind, needed, unacknowledged });
  return {
    balances: balances.map(toProtoBalance),
    ...(refusal === null ? {} : { refusal: toProtoRefusal(refusal) }),
    marketStateAfter: after.market_state,
    exportAfter: after.export,
  };
}
