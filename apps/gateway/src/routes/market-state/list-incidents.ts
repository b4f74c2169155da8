import type { status } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import { DAY_MS, FIGURES_KEPT_MS, inIncidentOrder } from '@market-state/service-figures';
import type { Upstreams } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import { toUtc, toUtcOrNull, parseInstant } from '../../serving/meta/instant';
import { type Described, documentedWord } from '../../serving/openapi/described';
import { readIncidentCursor, writeIncidentCursor } from './service-record/incident-cursor';
import { findIncidents } from './service-record/incident-parts';

/** Without `from` the span begins so long before its end, milliseconds. */
const SPAN_MS = 30 * DAY_MS;

const kindNamed = documentedWord('Incident', 'kind');

/** Incidents of every part of the service in one order, newest first. */
export function listIncidents(
  upstreams: Pick<Upstreams, 'marketData' | 'packets' | 'readFigures'>,
  now: () => number,
): Handler<'listIncidents'> {
  return async (call) => {
    const { symbol: word, kind, from, to, limit, cursor } = call.input.query;
    const nowMs = now();
    const symbol = word === 'ALL' ? '' : word;
    const toMs = parseInstant(to) ?? nowMs;
    const first = { span: { symbol, kind, fromMs: parseInstant(from) ?? Math.max(0, toMs - SPAN_MS), toMs }, after: undefined };
    const { span, after } = cursor === '' ? first : readIncidentCursor(cursor, { symbol, kind });
    refuseBeforeFigures(span.fromMs, nowMs);
    const found = await findIncidents(upstreams, { ...span, after, pageSize: limit + 1 });
    const page = found.incidents.toSorted(inIncidentOrder).slice(0, limit);
    const last = found.incidents.length > limit ? page.at(-1) : undefined;
    const fields = {
      as_of_utc: toUtc(nowMs),
      from_utc: toUtc(span.fromMs),
      to_utc: toUtc(span.toMs),
      rows: page.map(toRow),
      row_total: page.length,
      incomplete: [...found.incomplete],
      next_cursor: last === undefined ? null : writeIncidentCursor(span, last),
    };
    return accountAnswer(call, fields, sentenceOf(found.incomplete.map(({ part }) => part)));
  };
}

/** @throws ServiceError `beyond_retention` with the oldest instant, for a span that begins before anything is kept */
function refuseBeforeFigures(fromMs: number, nowMs: number): void {
  const oldestMs = nowMs - FIGURES_KEPT_MS;
  if (fromMs >= oldestMs) return;
  throw failedPrecondition('beyond_retention', `Incidents from before ${toUtc(oldestMs)} are not kept.`, {
    metadata: { oldest_ms: String(oldestMs) },
  });
}

function toRow({ incidentId, kind, openedMs, closedMs, symbols, gapIds, sentence }: status.Incident): Described<'Incident'> {
  return {
    incident_id: incidentId,
    kind: kindNamed(kind),
    opened_utc: toUtc(openedMs),
    closed_utc: toUtcOrNull(closedMs),
    duration_seconds: closedMs === 0 ? null : (closedMs - openedMs) / 1_000,
    symbols,
    gap_ids: gapIds,
    sentence,
  };
}

function sentenceOf(away: readonly string[]): string {
  if (away.length === 0) return 'Every part of the service has told of its incidents.';
  return `The list is not whole: ${away.map((part) => part.replaceAll('_', ' ')).join(', ')} did not answer.`;
}
