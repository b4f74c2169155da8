import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { type LogRow, readLogRows } from '../store/log-rows';
import { PAGE_BYTES } from '../window/row-batches';
import type { RpcDeps } from './deps';
import { openStoredSpan } from './stored-span';

/** Rows of one read: with the largest books, some 6 MB. */
const CHUNK_ROWS = 2_000;
const MESSAGE_ROWS_MAX = 1_000;
/** About what a row takes beside its payload. */
const ROW_OVERHEAD_BYTES = 100;

/** Stored rows of one channel. Holds two reads' rows: one is read while the other is given. */
export async function* streamStoredRows(
  deps: RpcDeps,
  request: marketData.StreamStoredRowsRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<marketData.StreamStoredRowsResponse> {
  const { window } = await openStoredSpan(deps, request, ordinalFaults(request));
  const toOrdinal = Math.min(window.toOrdinal, request.toOrdinal);
  const read = (afterOrdinal: number): Promise<LogRow[]> => readLogRows(deps, { ...window, toOrdinal, afterOrdinal, limit: CHUNK_ROWS });

  let reading: Promise<LogRow[]> | undefined = read(request.afterOrdinal);
  while (reading !== undefined && !signal.aborted) {
    const rows: LogRow[] = await reading;
    const last = rows.at(-1);
    reading = last === undefined || rows.length < CHUNK_ROWS ? undefined : read(last.ordinal);
    // When nobody comes for these rows any more, nobody hears of it either.
    reading?.catch(() => undefined);
    for (const message of messagesOf(rows)) yield { rows: message };
  }
}

function ordinalFaults({ afterOrdinal, toOrdinal }: marketData.StreamStoredRowsRequest): Fault[] {
  return toOrdinal > afterOrdinal ? [] : [{ field: 'to_ordinal', message: 'must lie after after_ordinal', type: 'out_of_range' }];
}

/** Rows as messages of at most 1,000 rows that stay below 1 MiB. */
function* messagesOf(rows: readonly LogRow[]): Generator<LogRow[]> {
  let message: LogRow[] = [];
  let sizeBytes = 0;
  for (const row of rows) {
    const rowBytes = row.payload.length + ROW_OVERHEAD_BYTES;
    if (message.length === MESSAGE_ROWS_MAX || (message.length > 0 && sizeBytes + rowBytes > PAGE_BYTES)) {
      yield message;
      message = [];
      sizeBytes = 0;
    }
    message.push(row);
    sizeBytes += rowBytes;
  }
  if (message.length > 0) yield message;
}
