import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { toProtoSourceKind } from '@market-state/live-market';
import { instantFaults, rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { countTellings } from '../store/gaps';
import { completenessOf, factsAfter, Tally } from '../window/completeness';
import { mergeByTime, replayItems, type ReplayOutcome } from '../window/replay-items';
import { type OpenWindow, openWindow } from '../window/open-window';
import { pacedFrames, type ReplayItem } from '../window/paced-frames';
import { positionFaults, windowFaults, type WindowRequest, WINDOW_START } from '../window/window';
import { toProtoGap } from '../window/reported-gaps';
import { type RpcDeps, refuseUnserved } from './deps';

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
