import type { marketData } from '@market-state/contracts';
import { deadlineExceeded, unavailable } from '@market-state/errors';
import { timeLimit } from '@market-state/lifecycle';
import type { MarketDataClient } from '../../../clients/market-data-client';
import { publicRow } from '../../../serving/answers/public-row';

/** Time for a whole page, milliseconds. */
const DEADLINE_MS = 10_000;

const COMMA = Buffer.from(',');

/** A page as it was streamed: its rows as JSON in public form, commas between them, in pieces. */
export interface WindowPage {
  readonly rows: readonly Buffer[];
  readonly rowTotal: number;
  readonly end: marketData.WindowPageEnd;
}

function toBytes(piece: string | Uint8Array): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece) : piece;
}

/** The rows of one message; `first` says that nothing stands before them. */
function joinRows(rows: readonly marketData.DataRow[], first: boolean): Buffer {
  return Buffer.concat(rows.flatMap((row, index) => [...(first && index === 0 ? [] : [COMMA]), ...publicRow(row).map(toBytes)]));
}

/**
 * Reads one page of a window. A row is never parsed: its bytes go into the answer as they come, a message at a time, so that
 * other requests are served in between.
 * @throws ServiceError as ReadWindow does; DEADLINE_EXCEEDED when the page is not there in 10 s
 */
export async function readWindowPage(client: MarketDataClient, request: marketData.ReadWindowRequest): Promise<WindowPage> {
  const deadline = timeLimit(DEADLINE_MS);
  const rows: Buffer[] = [];
  let rowTotal = 0;
  for await (const message of client.call.readWindow(request, { signal: deadline })) {
    if (message.rows.length > 0) rows.push(joinRows(message.rows, rowTotal === 0));
    rowTotal += message.rows.length;
    if (message.end !== undefined) return { rows, rowTotal, end: message.end };
  }
  if (deadline.aborted) throw deadlineExceeded('upstream_deadline', 'The rows of this window took too long to read.');
  throw unavailable('upstream_unavailable', 'The rows of this window could not be read to their end.');
}
