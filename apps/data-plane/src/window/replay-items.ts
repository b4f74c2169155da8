import type { marketData } from '@market-state/contracts';
import type { Channel } from '@market-state/market-data';
import type { StoredRow } from '../store/window-reader';
import { toDataRow } from './row-batches';
import type { OpenWindow } from './open-window';
import type { ReplayItem, MergedItem } from './paced-frames';
import { fromPublicChannels } from './public-channels';
import type { Tally } from './completeness';
import { GAP_REPORTED, gapsReportedAt } from './reported-gaps';
import { type Place, WINDOW_START } from './window';
import { mergeByPosition, placedPackets, type Shortfalls, storedRows, type WindowDeps } from './window-rows';

interface Head {
  readonly item: ReplayItem;
  readonly of: number;
  readonly rest: AsyncIterator<ReplayItem>;
}

/**
 * Ties go to the earlier replay. Depends only on the next item of each, so an interrupted and resumed merge equals an
 * uninterrupted one.
 */
export async function* mergeByTime(replays: readonly AsyncIterable<ReplayItem>[]): AsyncGenerator<MergedItem, void, undefined> {
  const iterators = replays.map((replay) => replay[Symbol.asyncIterator]());
  try {
    const first = await Promise.all(iterators.map((rest, of) => headOf(rest, of)));
    const heads = first.filter((head) => head !== undefined);
    while (heads.length > 0) {
      const at = earliestOf(heads);
      const { item, of, rest } = heads[at] as Head;
      yield { ...item, of };
      const next = await headOf(rest, of);
      if (next === undefined) heads.splice(at, 1);
      else heads[at] = next;
    }
  } finally {
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}

async function headOf(rest: AsyncIterator<ReplayItem>, of: number): Promise<Head | undefined> {
  const next = await rest.next();
  return next.done === true ? undefined : { item: next.value, of, rest };
}

function earliestOf(heads: readonly Head[]): number {
  let at = 0;
  for (const [index, { item }] of heads.entries()) if (item.receivedMs < (heads[at] as Head).item.receivedMs) at = index;
  return at;
}

export interface ReplayOutcome {
  readonly sent: Tally;
  readonly shortfalls: Shortfalls;
  /** Gaps sent at their position. */
  readonly reportedGapIds: Set<string>;
}

/**
 * Reads the whole window, so that the outcome covers all of it; items up to `after` are skipped.
 * @param chunkRows rows per read; two reads are buffered
 */
export async function* replayItems(
  deps: WindowDeps,
  { window, logChannels }: OpenWindow,
  after: Place,
  outcome: ReplayOutcome,
  chunkRows: number,
  signal: AbortSignal,
): AsyncGenerator<ReplayItem, void, undefined> {
  const { sent, shortfalls, reportedGapIds } = outcome;
  const isRequested = (channel: string): boolean => channel === '' || window.channels.includes(channel);
  const read: Channel[] = fromPublicChannels([...window.channels, 'control']);
  const rows = storedRows(deps, window, read, WINDOW_START, shortfalls, signal, { chunkRows });
  let epochBefore: number | undefined;

  function unlessSent(item: Sendable): ReplayItem {
    return isSent(item, after) ? { kind: 'passed', receivedMs: item.receivedMs } : item;
  }

  function* reportedGaps(gaps: readonly marketData.Gap[], receivedMs: number): Generator<ReplayItem> {
    const wanted = gaps.filter(({ channel }) => isRequested(channel));
    for (const { gapId } of wanted) reportedGapIds.add(gapId);
    for (const gap of wanted) yield unlessSent({ kind: 'gap', receivedMs, gap });
  }

  function* counted(row: marketData.DataRow): Generator<ReplayItem> {
    sent.add(row);
    yield unlessSent({ kind: 'row', receivedMs: row.receivedTsMs, row });
  }

  async function* aroundControl(row: StoredRow): AsyncGenerator<ReplayItem> {
    const { before, after: reported } = await gapsReportedAt(deps.pool, row, epochBefore);
    epochBefore = row.epoch;
    yield* reportedGaps(before, row.receivedTsMs);
    if (logChannels.includes('control')) yield* counted(toDataRow(row));
    yield* reportedGaps(reported, row.receivedTsMs);
  }

  for await (const item of mergeByPosition(rows, placedPackets(deps, window, WINDOW_START, shortfalls))) {
    if (signal.aborted) return;
    if ('packet' in item) yield* counted(item.packet);
    else if (item.channel === 'control') yield* aroundControl(item);
    else yield* counted(toDataRow(item));
  }
}

type Sendable = Exclude<ReplayItem, { kind: 'passed' }>;

/**
 * True if a stream that ended at `after` already sent the item. Live packets follow later rows, so they are compared by
 * window if the last one is known.
 */
function isSent(item: Sendable, after: Place): boolean {
  if (item.kind === 'gap') {
    const { ordinal } = item.gap.place ?? WINDOW_START;
    return ordinal < after.ordinal || (ordinal === after.ordinal && after.packetWindowEndMs === GAP_REPORTED);
  }
  const { sequence, packetWindowEndMs } = item.row;
  if (packetWindowEndMs > 0 && after.packetWindowEndMs > GAP_REPORTED) return packetWindowEndMs <= after.packetWindowEndMs;
  return sequence < after.ordinal || (sequence === after.ordinal && packetWindowEndMs === 0);
}
