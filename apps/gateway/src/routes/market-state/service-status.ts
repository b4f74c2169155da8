import type { labeling, account } from '@market-state/contracts';
import { DAY_MS, MINUTE_MS, monthOf, monthsOf, PACKET_IN_TIME_MS, shareDown, WINDOW_MS } from '@market-state/service-figures';
import { ownMeta, accountAnswer } from '../../serving/answers/account-answer';
import { jsonRepresentation } from '../../serving/http/representation';
import { releaseSentence, releaseStatus } from '../../release/release-status';
import type { RunningRelease } from '../../release/running-release';
import type { Handler } from '../../serving/answers/handler';
import { toUtc, toUtcOrNull, parseInstant } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';
import type { ReadDeps } from '../../clients/upstreams';

/** Default number of months before the end. */
const MONTHS_BEFORE = 12;

const RULE: Described<'SlaRule'> = {
  window_seconds: WINDOW_MS / 1_000,
  in_time_ms: PACKET_IN_TIME_MS,
  windows:
    `A window of each symbol ends every ${WINDOW_MS / 1_000} s. Its packet is in time if it is stored within ${PACKET_IN_TIME_MS / 1_000} s of that end, by the ` +
    'service clock. Each symbol counts from its first packet in time. Windows in minutes without data count as due and not in time.',
  reads:
    'A read is answered if it returns 2xx or 304, and failed if it returns 5xx. Not counted: 4xx responses, reads that the caller aborted, and ' +
    'operator probes. A call counts in the minute in which its response ended. Minutes that no gateway counted are reported next to the share.',
};

export function getSlaStatus({ packets, readFigures, now }: ReadDeps): Handler<'getSlaStatus'> {
  return async (call) => {
    const { symbol, from, to } = call.input.query;
    const toMs = parseInstant(to) ?? now();
    const fromMs = parseInstant(from) ?? yearBefore(toMs);
    const [windows, reads] = await Promise.all([
      packets.call.listWindowMonths({ symbol: symbol === 'ALL' ? '' : symbol, fromMs, toMs }),
      readFigures.call.listReadMonths({ fromMs, toMs }),
    ]);
    const settledToMs = Math.min(windows.settledToMs, reads.settledToMs);
    const started = [windows.countedFromMs, reads.countedFromMs].filter((ms) => ms > 0);
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
      counted_from_utc: toUtcOrNull(started.length === 0 ? 0 : Math.min(...started)),
      rule: RULE,
      rows,
      row_total: rows.length,
    };
    return accountAnswer(call, fields, 'Counted by minute; includes only complete minutes.');
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

/** Default number of days, including today. */
const DAYS = 7;

export function getLatencyStatus({ packets: { call: labeling }, now }: ReadDeps): Handler<'getLatencyStatus'> {
  return async (call) => {
    const { symbol, from, to } = call.input.query;
    const toMs = parseInstant(to) ?? now();
    const fromMs = parseInstant(from) ?? Math.max(1, toMs - (DAYS - 1) * DAY_MS);
    const answer = await labeling.listLatencyDays({ symbol: symbol === 'ALL' ? '' : symbol, fromMs, toMs });
    const fields = {
      symbol,
      as_of_utc: toUtc(answer.settledToMs),
      counted_from_utc: toUtcOrNull(answer.countedFromMs),
      rows: answer.days.map((day) => toRow(day, answer.settledToMs)),
      row_total: answer.days.length,
    };
    return accountAnswer(call, fields, 'Counted as packets arrived; includes only complete minutes.');
  };
}

function toRow(day: labeling.LatencyDay, settledToMs: number): Described<'LatencyDay'> {
  return {
    date: toUtc(day.dayMs).slice(0, 10),
    is_finished: day.dayMs + DAY_MS <= settledToMs,
    closing_tick_to_packet: toStage(day.closingTickToPacket),
    packet_to_gateway: toStage(day.packetToGateway),
    closing_tick_to_gateway: toStage(day.closingTickToGateway),
    remade_total: day.remadeTotal,
  };
}

function toStage(stage: labeling.LatencyStage | undefined): Described<'LatencyStage'> {
  const { packetTotal = 0, p50Ms, p99Ms, minutesWithoutFigures = 0 } = stage ?? {};
  return { packet_total: packetTotal, p50_ms: p50Ms ?? null, p99_ms: p99Ms ?? null, minutes_without_figures: minutesWithoutFigures };
}

/** Compares the running service with its build. The preview needs no key. */
export function getReleaseStatus({ release }: { readonly release: RunningRelease }, preview = false): Handler<'getReleaseStatus'> {
  return async (call) => {
    const fields = releaseStatus(await release.check());
    const access = { requires_api_key: call.operation.requiresApiKey, metered: call.operation.metered };
    return jsonRepresentation({ ...fields, ...access, meta: ownMeta(call, releaseSentence(fields.release_state), preview) });
  };
}
