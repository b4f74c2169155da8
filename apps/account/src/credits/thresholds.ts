import type { CreditKind } from '@market-state/pricing';
import type { Book, Grant, OutboxEvent, Totals } from './credit-ledger';
import { monthOf, nextDay, nextMonth } from './calendar';
import { limitsOf } from './limits';

const PERCENTS = [80, 100];

/** Records usage thresholds that a charge passed, each once per period. */
export const reportThresholds = { ofGrant, ofCaps };

type CountedSpend = Pick<Totals, 'spentDay' | 'spentMonth'>;

interface Use {
  readonly control: 'plan_credits' | 'monthly_credit_cap' | 'daily_credit_cap' | 'export_credit_cap';
  readonly kind: CreditKind;
  readonly limit: number | null;
  readonly before: number;
  readonly used: number;
  readonly fromMs: number;
  readonly resetsMs: number | null;
  readonly period: string;
}

function ofGrant(book: Book, grant: Grant, spentBefore: number): void {
  if (grant.source !== 'plan' && grant.source !== 'trial') return;
  const { kind, id, amount, spent, grantedMs } = grant;
  const balance = limitsOf(book, kind).find(({ control }) => control === 'balance');
  const use = { kind, limit: amount, before: spentBefore, used: spent, fromMs: grantedMs, resetsMs: balance?.resetsMs ?? null };
  report(book, { control: 'plan_credits', ...use, period: `plan:${kind}:${id}` });
}

function ofCaps(book: Book, kind: CreditKind, before: CountedSpend): void {
  const { monthlyCreditCap, dailyCreditCap, exportCreditCap } = book.controls;
  const { spentDay, spentMonth, dayMs } = book.totals[kind];
  const day = new Date(dayMs).toISOString().slice(0, 10);
  const ofMonth = { kind, before: before.spentMonth, used: spentMonth, fromMs: monthOf(dayMs), resetsMs: nextMonth(dayMs) };
  const ofDay = { kind, before: before.spentDay, used: spentDay, fromMs: dayMs, resetsMs: nextDay(dayMs) };
  if (kind === 'export') {
    report(book, { control: 'export_credit_cap', ...ofMonth, limit: exportCreditCap, period: `export_credit_cap:${day.slice(0, 7)}` });
    return;
  }
  report(book, { control: 'monthly_credit_cap', ...ofMonth, limit: monthlyCreditCap, period: `monthly_credit_cap:${day.slice(0, 7)}` });
  report(book, { control: 'daily_credit_cap', ...ofDay, limit: dailyCreditCap, period: `daily_credit_cap:${day}` });
}

function report(book: Book, { control, kind, limit, before, used, fromMs, resetsMs, period }: Use): void {
  if (limit === null) return;
  for (const percent of PERCENTS.filter((part) => before * 100 < limit * part && used * 100 >= limit * part)) {
    const payload: OutboxEvent['payload'] = {
      control,
      credit_kind: kind,
      percent,
      limit,
      used,
      period_from_utc: utc(fromMs),
      resets_at_utc: resetsMs === null ? null : utc(resetsMs),
    };
    book.events.push({ kind: 'usage.threshold_reached', occasion: `${period}:${percent}`, payload });
  }
}

function utc(ms: number): string {
  return new Date(ms).toISOString();
}
