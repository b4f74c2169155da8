import type { account, labeling } from '@market-state/contracts';
import { MINUTE_MS, monthOf, monthsOf, PACKET_IN_TIME_MS, shareDown, WINDOW_MS } from '@market-state/service-figures';
import type { Upstreams } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import { toUtc, toUtcOrNull, parseInstant } from '../../serving/meta/instant';
import type { Described } from '../../serving/openapi/described';

/** Months before that of the end, where `from` is not given. */
const MONTHS_BEFORE = 12;

const RULE: Described<'SlaRule'> = {
  window_seconds: WINDOW_MS / 1_000,
  in_time_ms: PACKET_IN_TIME_MS,
  windows:
    `A window of each symbol ends every ${WINDOW_MS / 1_000} s. Its packet is in time if it is stored at most ${PACKET_IN_TIME_MS / 1_000} s after that end, by the ` +
    'clock of the service. A symbol is counted from its first packet in time on. Windows of minutes of which nothing is known are due, and not in time.',
  reads:
    'A read is answered with 2xx or 304, and failed with 5xx. Reads answered with 4xx, reads whose caller left before the answer, and the probes of ' +
    'operators are not counted. A call counts in the minute in which its answer ended. Minutes in which no gateway counted are given beside the share.',
};

export function getSlaStatus(
  { packets, readFigures }: Pick<Upstreams, 'packets' | 'readFigures'>,
  now: () => number,
): Handler<'getSlaStatus'> {
  return async (call) => {
    const { symbol, from, to } = call.input.query;
    const toMs = parseInstant(to) ?? now();
    const fromMs = parseInstant(from) ?? yearBefore(toMs);
    const [windows, reads] = await Promise.all([
      packets.call.listWindowMonths({ symbol: symbol === 'ALL' ? '' : symbol, fromMs, toMs }),
      readFigures.call.listReadMonths({ fromMs, toMs }),
    ]);
    const settledToMs = Math.min(windows.settledToMs, reads.settledToMs);
    const begun = [windows.countedFromMs, reads.countedFromMs].filter((ms) => ms > 0);
    const rows = monthsOf(fromMs, toMs).flatMap((monthMs) => {
      const windowsOf = windows.months.find((each) => each.monthMs === monthMs);
      const readsOf = reads.months.find((each) => each.monthMs === monthMs);
      if (windowsOf === undefined && readsOf === undefined) return [];
      const month = { month: toUtc(monthMs).slice(0, 7), is_finished: endOf(monthMs) <= settledToMs };
      return [{ ...month, windows: toWindows(windowsOf), reads: toReads(readsOf) }];
    });
    const fields = {
      symbol,
      as_of_utc: toUtc(settledToMs),
      counted_from_utc: toUtcOrNull(begun.length === 0 ? 0 : Math.min(...begun)),
      rule: RULE,
      rows,
      row_total: rows.length,
    };
    return accountAnswer(call, fields, 'Counted by the minute, whole minutes alone.');
  };
}

function endOf(monthMs: number): number {
  return monthOf(monthMs + 32 * 24 * 60 * MINUTE_MS);
}

function yearBefore(toMs: number): number {
  const date = new Date(toMs - 1);
  return Math.max(1, Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - MONTHS_BEFORE));
}

function toWindows(month: labeling.WindowMonth | undefined): Described<'SlaWindows'> {
  if (month === undefined) return null;
  const { dueTotal, inTimeTotal, withoutFiguresTotal } = month;
  const totals = { due_total: dueTotal, in_time_total: inTimeTotal, without_figures_total: withoutFiguresTotal };
  return { ...totals, share: shareDown(inTimeTotal, dueTotal) };
}

function toReads(month: account.ReadMonth | undefined): Described<'SlaReads'> {
  if (month === undefined) return null;
  const { answeredTotal, failedTotal, minutesWithoutFigures } = month;
  const totals = { answered_total: answeredTotal, failed_total: failedTotal, minutes_without_figures: minutesWithoutFigures };
  return { ...totals, share: shareDown(answeredTotal, answeredTotal + failedTotal) };
}
