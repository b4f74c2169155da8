import type { marketData } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import type { Channel } from '@market-state/market-data';
import { readWindowRows, type StoredRow, type WindowReaderDeps } from '../store/window-reader';
import { packetRows, type PacketDeps } from './packet-rows';
import { PACKETS } from './public-channels';
import { type LogWindow, type Place, rowWindowOf, type Window } from './window';

/** About 3 MB with the largest books. */
const CHUNK_ROWS = 1_000;

export interface WindowDeps extends WindowReaderDeps, PacketDeps {
  readonly logger: Logger;
}

export interface Shortfalls {
  packetsUnreachable: boolean;
  /** A channel became unreadable: an archived hour is missing or damaged. */
  archiveUnreadable: boolean;
}

interface Bounds {
  readonly rowsMax?: number;
  /** Per read; default 1,000. */
  readonly chunkRows?: number;
}

/** Prefetches one read. Drops a channel once its archive is unreadable. */
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

function unreadableChannel({ logger }: WindowDeps, error: unknown): string {
  const channel = isServiceError(error, 'archive_corrupt') ? error.metadata['channel'] : undefined;
  if (channel === undefined) throw error;
  logger.error({ err: error }, 'an archived hour is unreadable');
  return channel;
}

interface Placed {
  readonly ordinal: number;
}

/** `first` wins ties. */
export async function* mergeByPosition<A extends Placed, B extends Placed>(
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

interface PlacedPacket extends Placed {
  readonly packet: marketData.DataRow;
}

/**
 * Only if requested; ends early if labeling fails.
 * @param counting packets are listed after they are counted, so that one stored in between is not taken for a missing row
 */
export async function* placedPackets(
  deps: WindowDeps,
  window: Window,
  after: Place,
  shortfalls: Shortfalls,
  counting: Promise<unknown> = Promise.resolve(),
): AsyncGenerator<PlacedPacket, void, undefined> {
  if (!window.channels.includes(PACKETS)) return;
  await counting;
  try {
    for await (const packet of packetRows(deps, window, after)) yield { ordinal: packet.sequence, packet };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    deps.logger.warn({ symbol: window.symbol, err: error }, 'reading the packets of a window failed');
    shortfalls.packetsUnreachable = true;
  }
}
