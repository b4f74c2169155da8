import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { toProtoSourceKind } from '@market-state/live-market';
import { instantFaults, rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { Channel } from '@market-state/market-data';
import { countTellings } from '../store/gaps';
import { completenessOf, factsAfter, Tally } from '../window/completeness';
import { type OpenWindow, openWindow } from '../window/open-window';
import { pacedFrames, type ReplayItem, type MergedItem } from '../window/paced-frames';
import { positionFaults, windowFaults, type WindowRequest, WINDOW_START, type Place } from '../window/window';
import { toProtoGap, GAP_REPORTED, gapsReportedAt, toDataRow } from '../window/sent-rows';
import { type RpcDeps, refuseUnserved } from './deps';
import type { StoredRow } from '../store/window-reader';
import { fromPublicChannels } from '../window/public-channels';
import { mergeByPosition, placedPackets, type Shortfalls, storedRows, type WindowDeps } from '../window/window-rows';

const REPLAY_MS_MAX = 24 * 3_600_000;
const SPEED_MAX = 100;
const SYMBOLS_MAX = 20;
/** For all symbols together; about 3 MB with the largest books. */
const CHUNK_ROWS = 1_000;
const CHUNK_ROWS_MIN = 100;
/** Maximum lag between the feed clock, which dates gap reports, and venue time, which cuts windows. */
const REPORTED_LATE_MS_MAX = 60_000;

type Frame = NonNullable<marketData.StreamReplayResponse['frame']>;
type Frames = AsyncGenerator<marketData.StreamReplayResponse>;

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

interface ReplayOutcome {
  readonly sent: Tally;
  readonly shortfalls: Shortfalls;
  /** Gaps sent at their position. */
  readonly reportedGapIds: Set<string>;
}

/**
 * Reads the whole window, so that the outcome covers all of it; items up to `after` are skipped.
 * @param chunkRows rows per read; two reads are buffered
 */
async function* replayItems(
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

interface OpenReplay {
  readonly plan: marketData.ReplayPlan;
  readonly open: OpenWindow;
  readonly outcome: ReplayOutcome;
  readonly items: AsyncIterable<ReplayItem>;
}

/**
 * Sends each symbol's plan, then rows and gaps at the requested pace, then each receipt. Log order per symbol; symbols
 * are merged by receive time.
 */
export async function* streamReplay(
  deps: RpcDeps,
  request: marketData.StreamReplayRequest,
  { signal }: Pick<CallContext, 'signal'>,
): Frames {
  const { speed } = request;
  const symbols = [request, ...request.further];
  refuseFaults(
    windowFaults(request, REPLAY_MS_MAX),
    speed === 0 ? [] : rangeFaults('speed', speed, 1, SPEED_MAX),
    positionFaults(request.after),
    furtherFaults(request),
  );
  for (const { symbol } of symbols) refuseUnserved(deps, symbol);
  const replays = await Promise.all(
    symbols.map(({ symbol, asOfMs, after }) => openReplay(deps, { ...request, symbol, asOfMs, after }, symbols.length, signal)),
  );
  for (const { plan } of replays) yield { frame: { $case: 'plan', value: plan } };
  const [only] = replays;
  const items = replays.length === 1 && only !== undefined ? only.items : mergeByTime(replays.map((replay) => replay.items));
  for await (const frame of pacedFrames(items, { speed, timer: deps.timer, signal })) yield { frame };
  if (signal.aborted) return;
  for (const replay of replays) for (const frame of endOf(replay)) yield { frame };
}

function furtherFaults({ symbol, further }: marketData.StreamReplayRequest): Fault[] {
  const named = [symbol, ...further.map((each) => each.symbol)];
  return [
    ...further.flatMap((each) => [
      ...symbolFaults(each.symbol),
      ...instantFaults('further.as_of_ms', each.asOfMs),
      ...positionFaults(each.after),
    ]),
    ...(new Set(named).size < named.length ? [{ field: 'further', message: 'must not repeat a symbol', type: 'repeated' }] : []),
    ...(named.length > SYMBOLS_MAX
      ? [{ field: 'further', message: `must name at most ${SYMBOLS_MAX - 1} symbols`, type: 'out_of_range' }]
      : []),
  ];
}

async function openReplay(
  deps: RpcDeps,
  request: WindowRequest & Pick<marketData.StreamReplayRequest, 'speed' | 'after'>,
  symbolTotal: number,
  signal: AbortSignal,
): Promise<OpenReplay> {
  const { symbol, speed, after = WINDOW_START } = request;
  const venue = deps.venues.of(symbol);
  const [open, tellings] = await Promise.all([
    openWindow(deps, venue, request),
    countTellings(deps.pool, symbol, request.startMs - REPORTED_LATE_MS_MAX, request.endMs + REPORTED_LATE_MS_MAX),
  ]);
  const { startMs, endMs, channels, asOfMs } = open.window;
  const outcome: ReplayOutcome = {
    sent: new Tally(),
    shortfalls: { packetsUnreachable: false, archiveUnreadable: false },
    reportedGapIds: new Set(),
  };
  const chunkRows = Math.max(CHUNK_ROWS_MIN, Math.floor(CHUNK_ROWS / symbolTotal));
  return {
    open,
    outcome,
    items: replayItems(deps, open, after, outcome, chunkRows, signal),
    plan: {
      symbol,
      venue: venue.venue,
      sourceKind: toProtoSourceKind(venue.sourceKind),
      startMs,
      endMs,
      channels: [...channels],
      asOfMs,
      speed,
      rowsExpected: open.facts.logRows + open.facts.packets,
      gapIds: open.facts.losses.map(({ gapId }) => gapId),
      gapFramesMax: tellings + open.gaps.length,
    },
  };
}

function* endOf({ open: { gaps, facts }, outcome }: OpenReplay): Generator<Frame> {
  for (const gap of gaps) if (!outcome.reportedGapIds.has(gap.gapId)) yield { $case: 'gap', value: toProtoGap(gap) };
  yield { $case: 'receipt', value: completenessOf(factsAfter(facts, outcome.shortfalls), outcome.sent, false) };
}
