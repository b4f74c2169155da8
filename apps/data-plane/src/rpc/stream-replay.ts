import type { marketData } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { rangeFaults, refuseFaults } from '@market-state/request-checks';
import { completenessOf, factsAfter } from '../window/completeness';
import { openWindow } from '../window/open-window';
import { pacedFrames } from '../window/paced-frames';
import { positionFaults } from '../window/position-faults';
import { replayItems, type ReplayOutcome } from '../window/replay-items';
import { Tally } from '../window/tally';
import { toProtoGap } from '../window/to-proto-gap';
import { WINDOW_START } from '../window/window';
import { windowFaults } from '../window/window-request';
import type { RpcDeps } from './deps';
import { refuseUnserved } from './served';
import { toProtoSourceKind } from '@market-state/live-market';

const REPLAY_MS_MAX = 24 * 3_600_000;
const SPEED_MAX = 100;

type Frames = AsyncGenerator<marketData.StreamReplayResponse>;

/**
 * A window as a stream of frames: the plan, rows and gaps in log order at the pace asked for, the receipt. Holds two reads' rows and one
 * message at a time.
 */
export async function* streamReplay(
  deps: RpcDeps,
  request: marketData.StreamReplayRequest,
  { signal }: Pick<CallContext, 'signal'>,
): Frames {
  const { symbol, speed } = request;
  refuseFaults(
    windowFaults(request, REPLAY_MS_MAX),
    speed === 0 ? [] : rangeFaults('speed', speed, 1, SPEED_MAX),
    positionFaults(request.after),
  );
  refuseUnserved(deps, symbol);
  const venue = deps.venues.of(symbol);
  const open = await openWindow(deps, venue, request);
  const { startMs, endMs, channels, asOfMs } = open.window;
  const { facts } = open;
  yield {
    frame: {
      $case: 'plan',
      value: {
        symbol,
        venue: venue.venue,
        sourceKind: toProtoSourceKind(venue.sourceKind),
        startMs,
        endMs,
        channels: [...channels],
        asOfMs,
        speed,
        rowsExpected: facts.logRows + facts.packets,
        gapIds: facts.holes.map(({ gapId }) => gapId),
      },
    },
  };
  const outcome: ReplayOutcome = {
    sent: new Tally(),
    shortfalls: { packetsUnreachable: false, archiveUnreadable: false },
    toldGapIds: new Set(),
  };
  const items = replayItems(deps, open, request.after ?? WINDOW_START, outcome, signal);
  for await (const frame of pacedFrames(items, { speed, timer: deps.timer, signal })) yield { frame };
  if (signal.aborted) return;
  for (const gap of open.gaps) if (!outcome.toldGapIds.has(gap.gapId)) yield { frame: { $case: 'gap', value: toProtoGap(gap) } };
  yield { frame: { $case: 'receipt', value: completenessOf(factsAfter(facts, outcome.shortfalls), outcome.sent, false) } };
}
