import type { marketData } from '@market-state/contracts';
import { failedPrecondition, type ServiceError, unknownSymbol } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { symbolFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import { readRecordedOrdinals } from '../store/recorded';
import type { RpcDeps } from './deps';
import { inMessages, PAGE_BYTES } from '../window/sent-rows';
import { readEntries, readEpoch, type StoredEntry } from '../store/log-entries';

/** A page of books fits the young generation of the heap. */
const ENTRIES_MAX = 400;

/**
 * Reads one page ahead of the reader.
 * @throws ServiceError FAILED_PRECONDITION: `log_not_retained` if the first entry is past retention, `log_incomplete`
 * at a gap, `archive_corrupt` at a missing or damaged file
 */
export async function* streamLogEntries(
  { pool, archive, tail }: RpcDeps,
  request: marketData.StreamLogEntriesRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<marketData.StreamLogEntriesResponse> {
  refuseRequest(request, tail.symbols);
  const { symbol, afterOrdinal, toOrdinal } = request;
  const recorded = (await readRecordedOrdinals(pool, [symbol])).get(symbol) ?? 0;
  const end = toOrdinal === 0 ? recorded : Math.min(toOrdinal, recorded);
  const read = (afterOrdinal: number): Promise<readonly StoredEntry[]> =>
    afterOrdinal < end && !signal.aborted ? readEntries({ pool, archive }, symbol, afterOrdinal, end, ENTRIES_MAX) : Promise.resolve([]);
  let next = read(afterOrdinal);
  next.catch(() => undefined);
  let last: LogPosition = { ordinal: afterOrdinal, epoch: await readEpoch({ pool, archive }, symbol, afterOrdinal) };
  while (last.ordinal < end && !signal.aborted) {
    const entries = await next;
    const whole = wholePart(entries, last);
    last = whole.at(-1) ?? last;
    const isBroken = whole.length < entries.length || entries.length === 0;
    if (!isBroken) {
      next = read(last.ordinal);
      // Awaited in the next round, which a reader that leaves does not reach.
      next.catch(() => undefined);
    }
    for (const part of inMessages(whole, ({ payload }) => payload.length, { bytesMax: PAGE_BYTES })) yield messageOf(part);
    if (isBroken) throw missing(symbol, last, entries[whole.length]);
  }
}

/** Without an epoch, no entry is stored there, so anything missing after it is missing at the front. */
interface LogPosition {
  readonly ordinal: number;
  readonly epoch: number | undefined;
}

function refuseRequest({ symbol, afterOrdinal, toOrdinal }: marketData.StreamLogEntriesRequest, served: readonly string[]): void {
  refuseFaults(
    symbolFaults(symbol),
    rangeFaults('after_ordinal', afterOrdinal, 0, Number.MAX_SAFE_INTEGER),
    rangeFaults('to_ordinal', toOrdinal, 0, Number.MAX_SAFE_INTEGER),
    toOrdinal > 0 && toOrdinal <= afterOrdinal
      ? [{ field: 'to_ordinal', message: 'must lie after after_ordinal', type: 'out_of_range' }]
      : [],
  );
  if (!served.includes(symbol)) throw unknownSymbol(symbol, served);
}

/** Contiguous entries after `last`. A new epoch skips ordinals; its first entries report the loss. */
function wholePart(entries: readonly StoredEntry[], last: LogPosition): readonly StoredEntry[] {
  const gapIndex = entries.findIndex(({ ordinal, epoch }, index) => {
    const before = index === 0 ? last : (entries[index - 1] as StoredEntry);
    const isNewEpoch = before.epoch !== undefined && epoch > before.epoch;
    return !isNewEpoch && ordinal !== before.ordinal + 1;
  });
  return gapIndex === -1 ? entries : entries.slice(0, gapIndex);
}

function messageOf(entries: readonly StoredEntry[]): marketData.StreamLogEntriesResponse {
  return {
    entries: entries.map(({ payload }) => payload),
    contradictingOrdinals: entries.filter(({ contradictsItself }) => contradictsItself).map(({ ordinal }) => ordinal),
  };
}

function missing(symbol: string, last: LogPosition, next: StoredEntry | undefined): ServiceError {
  const gone = `Entries of ${symbol} after ordinal ${last.ordinal}${next === undefined ? '' : ` and before ${next.ordinal}`}`;
  if (last.epoch === undefined) {
    const metadata = next === undefined ? undefined : { first_ordinal: String(next.ordinal) };
    return failedPrecondition('log_not_retained', `${gone} are no longer retained.`, { metadata });
  }
  const metadata = { after_ordinal: String(last.ordinal), ...(next === undefined ? {} : { next_ordinal: String(next.ordinal) }) };
  return failedPrecondition('log_incomplete', `${gone} are missing from the stored log.`, { metadata });
}
