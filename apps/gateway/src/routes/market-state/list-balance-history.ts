import { account } from '@market-state/contracts';
import type { Upstreams } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { toUtc, parseInstant } from '../../serving/meta/instant';
import type { Meter } from '../../serving/metering/meter';
import type { Described } from '../../serving/openapi/described';

/** Without `from` the span begins so many days before its end. */
const DAYS = { hour: 2, day: 31 } as const;
const DAY_MS = 86_400_000;
const STEPS = { hour: account.BalanceStep.HOUR, day: account.BalanceStep.DAY } as const;
const KIND_NAMES = {
  [account.CreditKind.MARKET_STATE]: 'market_state',
  [account.CreditKind.EXPORT]: 'export',
  [account.CreditKind.UNSPECIFIED]: 'market_state',
} as const;

function showBalanceAt({ kind, available, held, leasedToGateways }: account.BalanceAt): Described<'BalanceAt'> {
  return { credit_kind: KIND_NAMES[kind], available, held, leased_to_gateways: leasedToGateways };
}

function showSteps({ fromTsMs, toTsMs, closed, balance, ...moved }: account.BalanceOfStep): Described<'BalanceStep'>[] {
  if (balance === undefined) return [];
  const { granted, charged, expired, returned } = moved;
  const span = { from_utc: toUtc(fromTsMs), to_utc: toUtc(toTsMs), closed };
  return [{ ...span, ...showBalanceAt(balance), granted, charged, expired, returned }];
}

/** Balances of the tenant at the end of each hour or day of a span, with what moved them. */
export function listBalanceHistory(
  { credits }: Pick<Upstreams, 'credits'>,
  meter: Pick<Meter, 'posted'>,
  now: () => number,
): Handler<'listBalanceHistory'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { from, to, step } = call.input.query;
    const toTsMs = parseInstant(to) ?? now() + 1;
    const fromTsMs = parseInstant(from) ?? Math.max(0, toTsMs - DAYS[step] * DAY_MS);
    await meter.posted(tenantId);
    const { opening, steps } = await credits.call.getBalanceHistory({ tenantId, fromTsMs, toTsMs, step: STEPS[step] });
    const rows = steps.flatMap(showSteps);
    const fields = {
      from_utc: rows[0]?.from_utc ?? toUtc(fromTsMs),
      to_utc: rows.at(-1)?.to_utc ?? toUtc(fromTsMs),
      step,
      opening: opening.map(showBalanceAt),
      rows,
      row_total: rows.length,
    };
    return accountAnswer(call, fields, 'As posted in the ledger: a closed row never changes.');
  };
}
