import type { status } from '@market-state/contracts';
import { failedPrecondition, isServiceError } from '@market-state/errors';
import { readToken, writeToken } from '@market-state/page-token';
import { DAY_MS, FIGURES_KEPT_MS, inIncidentOrder, type IncidentKind } from '@market-state/service-figures';
import { z } from 'zod';
import type { ReadDeps, Upstreams } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import { toUtc, toUtcOrNull, parseInstant } from '../../serving/meta/meta';
import { type Described, documentedWord } from '../../serving/openapi/document';
import { InvalidRequest } from '../../serving/errors/problem';

const CURSOR = z.tuple([z.literal('i1'), z.string(), z.string(), z.int().min(0), z.int().min(0), z.int().min(0), z.string()]);

/** Parameters pinned across all pages of a list. */
interface IncidentSpan {
  /** Empty: all symbols. */
  readonly symbol: string;
  /** Empty: all kinds. */
  readonly kind: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Includes the span pinned by the first page. */
function writeIncidentCursor({ symbol, kind, fromMs, toMs }: IncidentSpan, { openedMs, incidentId }: status.IncidentPlace): string {
  return writeToken(['i1', symbol, kind, fromMs, toMs, openedMs, incidentId]);
}

/**
 * @param asked the call's other parameters, which must match the first page
 * @throws InvalidRequest if the cursor is not one of this list
 */
function readIncidentCursor(
  cursor: string,
  requested: Pick<IncidentSpan, 'symbol' | 'kind'>,
): { readonly span: IncidentSpan; readonly after: status.IncidentPlace } {
  const values = readToken(CURSOR, cursor);
  const [, symbol = '', kind = '', fromMs = 0, toMs = 0, openedMs = 0, incidentId = ''] = values ?? [];
  if (values === undefined || symbol !== requested.symbol || kind !== requested.kind)
    throw new InvalidRequest([{ loc: ['query', 'cursor'], msg: 'must be a next_cursor from an earlier response', type: 'malformed' }]);
  return { span: { symbol, kind, fromMs, toMs }, after: { openedMs, incidentId } };
}

/** Services that report incidents, with their kinds. */
const KINDS = {
  market_data: ['feed_silent', 'gap', 'audit_differs'],
  packets: ['packets_late'],
  reads: ['reads_failing'],
} as const satisfies Readonly<Record<string, readonly IncidentKind[]>>;

type IncidentPart = keyof typeof KINDS;

/** Incidents of the parts that answered, and the other parts with the kinds that may be missing. */
interface FoundIncidents {
  readonly incidents: readonly status.Incident[];
  readonly incomplete: readonly { readonly part: IncidentPart; readonly kinds: IncidentKind[] }[];
}

/** Throws a ServiceError if a part rejects the request. */
async function findIncidents(
  { marketData, packets, readFigures }: Pick<Upstreams, 'marketData' | 'packets' | 'readFigures'>,
  filter: status.IncidentFilter,
): Promise<FoundIncidents> {
  const readParts = {
    market_data: () => marketData.call.listIncidents({ filter }),
    packets: () => packets.call.listIncidents({ filter }),
    reads: () => readFigures.call.listIncidents({ filter }),
  };
  const parts = (Object.keys(KINDS) as IncidentPart[])
    .map((part) => ({ part, kinds: KINDS[part].filter((kind) => filter.kind === '' || filter.kind === kind) }))
    .filter(({ kinds }) => kinds.length > 0);
  const found = await Promise.all(parts.map(async (each) => ({ ...each, incidents: await orAway(readParts[each.part]()) })));
  return {
    incidents: found.flatMap(({ incidents }) => incidents ?? []),
    incomplete: found.flatMap(({ part, kinds, incidents }) => (incidents === null ? [{ part, kinds }] : [])),
  };
}

/** Null if the part does not answer. */
async function orAway(answer: Promise<{ readonly incidents: status.Incident[] }>): Promise<status.Incident[] | null> {
  try {
    return (await answer).incidents;
  } catch (error) {
    if (isServiceError(error) && error.code !== 'INVALID_ARGUMENT' && error.code !== 'NOT_FOUND') return null;
    throw error;
  }
}

/** Default span without `from`. */
const SPAN_MS = 30 * DAY_MS;

const kindNamed = documentedWord('Incident', 'kind');

/** Merges incidents of all parts, newest first. */
export function listIncidents({ now, ...upstreams }: ReadDeps): Handler<'listIncidents'> {
  return async (call) => {
    const { symbol: word, kind, from, to, limit, cursor } = call.input.query;
    const nowMs = now();
    const symbol = word === 'ALL' ? '' : word;
    const toMs = parseInstant(to) ?? nowMs;
    const first = { span: { symbol, kind, fromMs: parseInstant(from) ?? Math.max(0, toMs - SPAN_MS), toMs }, after: undefined };
    const { span, after } = cursor === '' ? first : readIncidentCursor(cursor, { symbol, kind });
    refuseBeforeStatistics(span.fromMs, nowMs);
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

/** @throws ServiceError `beyond_retention` with the oldest instant, if the span starts before the retained data */
function refuseBeforeStatistics(fromMs: number, nowMs: number): void {
  const oldestMs = nowMs - FIGURES_KEPT_MS;
  if (fromMs >= oldestMs) return;
  throw failedPrecondition('beyond_retention', `Incidents from before ${toUtc(oldestMs)} are not retained.`, {
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
  if (away.length === 0) return 'All parts of the service reported their incidents.';
  return `The list is incomplete: ${away.map((part) => part.replaceAll('_', ' ')).join(', ')} did not respond.`;
}
