import type { marketData } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import type { Channel } from '@market-state/market-data';
import { readWindowRows, type StoredRow, type WindowReaderDeps } from '../store/window-reader';
import { packetRows, type PacketDeps } from './packet-rows';
import { PACKETS } from './public-channels';
import { type LogWindow, type Place, rowWindowOf, type Window } from './window';

/** Rows of one read: with the largest books, some 3 MB. */
const CHUNK_ROWS = 1_000;

export interface WindowDeps extends WindowReaderDeps, PacketDeps {
  readonly logger: Logger;
}

/** What a reading is told of on its way. */
export interface Shortfalls {
  /** Packets could not be read from some place on. */
  packetsUnreachable: boolean;
  /** Rows of a channel could not be read from some place on: an archived hour of it is missing or damaged. */
  archiveUnreadable: boolean;
}

/** How much is read. */
interface Bounds {
  /** All that there are by default. */
  readonly rowsMax?: number;
  /** Rows of one read; 1,000 by default. */
  readonly chunkRows?: number;
}

/**
 * Rows of a window after a place, of these channels of the log, in log order, at most `rowsMax`. Holds two reads' rows at a time:
 * one is read while the other is given. A channel whose archive can't be read is left out from there on.
 */
export async function* storedRows(
  deps: WindowDeps,
  window: LogWindow,
  wanted: readonly Channel[],
  after: Place,
  shortfalls: Shortfalls,
  signal: AbortSignal,
  { rowsMax = Infinity, chunkRows = CHUNK_ROWS }: Bounds = {},
): AsyncGenerator<StoredRow, void, undefined> {
  let channels = wanted;
  let rowsLeft = rowsMax;

  /** Rows after an ordinal and how many were asked for; without the channels that can't be read. */
  async function read(afterOrdinal: number, limit: number): Promise<StoredRow[]> {
    while (channels.length > 0) {
      const rows = await readWindowRows(deps, { ...rowWindowOf(window, channels), afterOrdinal, limit }).catch((error: unknown) =>
        unreadableChannel(deps, error),
      );
      if (typeof rows !== 'string') return rows;
      shortfalls.archiveUnreadable = true;
      channels = channels.filter((channel) => channel !== rows);
    }
    return [];
  }

  let limit = Math.min(chunkRows, rowsLeft);
  let reading = read(after.ordinal, limit);
  while (limit > 0 && !signal.aborted) {
    const rows = await reading;
    const last = rows.at(-1);
    rowsLeft -= rows.length;
    limit = last === undefined || rows.length < limit ? 0 : Math.min(chunkRows, rowsLeft);
    if (last !== undefined && limit > 0) {
      reading = read(last.ordinal, limit);
      reading.catch(() => undefined);
    }
    yield* rows;
  }
}

/** The channel whose archive can't be read; any other error is thrown. */
function unreadableChannel({ logger }: WindowDeps, error: unknown): string {
  const channel = isServiceError(error, 'archive_corrupt') ? error.metadata['channel'] : undefined;
  if (channel === undefined) throw error;
  logger.error({ err: error }, 'an hour of the archive cannot be read');
  return channel;
}

/** What stands at a place in the log. */
interface Placed {
  readonly ordinal: number;
}

/** Two streams in log order as one; what the first has at a place comes before what the second has there. */
export async function* mergeByPlace<A extends Placed, B extends Placed>(
  first: AsyncIterable<A>,
  second: AsyncIterable<B>,
): AsyncGenerator<A | B, void, undefined> {
  const left = first[Symbol.asyncIterator]();
  const right = second[Symbol.asyncIterator]();
  try {
    let [a, b] = await Promise.all([left.next(), right.next()]);
    while (a.done !== true || b.done !== true) {
      if (a.done !== true && (b.done === true || a.value.ordinal <= b.value.ordinal)) {
        yield a.value;
        a = await left.next();
      } else if (b.done !== true) {
        yield b.value;
        b = await right.next();
      }
    }
  } finally {
    await Promise.all([left.return?.(), right.return?.()]);
  }
}

/** A packet at its place. */
interface PlacedPacket extends Placed {
  readonly packet: marketData.DataRow;
}

/** Packets of a window after a place; when labeling fails they end there. None where they are not asked for. */
export async function* placedPackets(
  deps: WindowDeps,
  window: Window,
  after: Place,
  shortfalls: Shortfalls,
): AsyncGenerator<PlacedPacket, void, undefined> {
  if (!window.channels.includes(PACKETS)) return;
  try {
    for await (const packet of packetRows(deps, window, after)) yield { ordinal: packet.sequence, packet };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    deps.logger.warn({ symbol: window.symbol, err: error }, 'the packets of a window cannot be read');
    shortfalls.packetsUnreachable = true;
  }
}
