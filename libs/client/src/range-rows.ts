import type { DataRow, Instant, RangeParams, Ranges } from './ranges';
import type { Send } from './send';
import type { CallOptions, OperationId, Schemas } from './types';

const HOUR_MS = 3_600_000;
const PAGE_ROWS_MAX = 1_000;

const PAGED = { gaps: 'listGaps', history: 'listHistory' } as const;

type Page = Schemas['ReplayWindow'];

/** Filled while rows are read. */
interface Missing {
  readonly partial: string[];
  readonly gapIds: string[];
}

/** Oldest first. @throws RangeError if the span is empty or an instant cannot be read */
export async function* rangeRows(
  send: Send,
  group: keyof Ranges,
  params: RangeParams,
  options: CallOptions | undefined,
  { partial, gapIds }: Missing,
): AsyncGenerator<DataRow, void, undefined> {
  const { limit = Number.POSITIVE_INFINITY } = params;
  let total = 0;
  for (const [id, given] of callsOf(group, params)) {
    if (total >= limit) return;
    // Every operation of a range has pages of `rows`; only a replay window has `completeness`.
    for await (const { data } of send.rows(id as 'getReplayWindow', given, options).pages()) {
      const { rows, next_cursor: next, completeness } = data as Omit<Page, 'completeness'> & Partial<Page>;
      for (const row of rows) {
        yield row;
        total += 1;
        // Before the next page is requested, and paid for.
        if (total >= limit) return;
      }
      if (next !== null || completeness === undefined) continue;
      partial.push(...completeness.reasons.filter((reason) => !partial.includes(reason)));
      gapIds.push(...completeness.gap_ids.filter((gapId) => !gapIds.includes(gapId)));
    }
  }
}

/** In the order of their rows. */
function* callsOf(
  group: keyof Ranges,
  { from, to = Date.now(), limit = PAGE_ROWS_MAX, asOf, ...rest }: RangeParams,
): Generator<readonly [OperationId, object]> {
  const [fromMs, toMs] = [epochMs(from), epochMs(to)];
  if (!(fromMs < toMs)) throw new RangeError(`not a span: from ${String(from)} to ${String(to)}`);
  const common = asOf === undefined ? rest : { ...rest, as_of: String(epochMs(asOf)) };
  const span = { from: String(fromMs), to: String(toMs) };
  if (group === 'candles') return yield ['listCandles', { ...common, ...span }];
  if (group === 'gaps' || group === 'history') return yield [PAGED[group], { ...common, ...span, limit: Math.min(limit, PAGE_ROWS_MAX) }];
  for (let startMs = fromMs; startMs < toMs; startMs += HOUR_MS)
    yield ['getReplayWindow', { ...common, channels: group, start: String(startMs), end: String(Math.min(startMs + HOUR_MS, toMs)) }];
}

function epochMs(instant: Instant): number {
  return new Date(instant).getTime();
}
