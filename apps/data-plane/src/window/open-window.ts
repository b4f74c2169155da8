import { isServiceError } from '@market-state/errors';
import { type Channel, lossOf, HOUR_MS } from '@market-state/market-data';
import { type ExpectedRows, expectedRows } from '../store/window-reader';
import type { VenueView } from '../market/venues';
import type { GapRow } from '../recorder/gap-ledger';
import { listGapRows } from '../store/gaps';
import { readRecorded } from '../store/recorded';
import { readRetention } from '../store/retention';
import type { WindowFacts } from './completeness';
import {
  keptFromMs,
  refuseBeyondRetention,
  settledInstant,
  rowWindowOf,
  type Window,
  includesUnreported,
  wantedChannels,
  type WindowRequest,
} from './window';
import { countPackets, type PacketCount } from './packet-rows';
import { fromPublicChannels, PACKETS } from './public-channels';
import type { WindowDeps } from './window-rows';

/** Far more than a sane feed has in an hour; still keeps a response below a megabyte. */
const GAPS_MAX = 4_000;

/** Carried from the first page to later ones. */
export interface Pinned {
  readonly asOfMs: number;
  readonly toOrdinal: number;
}

/** A window whose rows can be read. */
export interface PinnedWindow {
  readonly window: Window;
  readonly logChannels: readonly Channel[];
  readonly beforeRetention: boolean;
}

export interface OpenWindow extends PinnedWindow {
  readonly facts: WindowFacts;
  readonly gaps: readonly GapRow[];
}

/**
 * Clamps `as of` to the last recorded tick, so that results are reproducible.
 * @throws ServiceError FAILED_PRECONDITION `beyond_retention` if the window ends before the retained data
 */
export async function pinWindow(deps: WindowDeps, venue: VenueView, request: WindowRequest, pinned?: Pinned): Promise<PinnedWindow> {
  const { symbol, startMs, endMs } = request;
  const channels = wantedChannels(request.channels, venue.channels);
  const [recorded, retention] = await Promise.all([readRecorded(deps.pool, symbol), readRetention(deps.pool)]);
  const logChannels = fromPublicChannels(channels);
  refuseBeyondRetention(request, recorded, retention, logChannels);
  const asOfMs = pinned?.asOfMs ?? settledInstant(recorded, request.asOfMs);
  const window: Window = {
    symbol,
    startMs,
    endMs,
    channels,
    asOfMs,
    toOrdinal: pinned?.toOrdinal ?? recorded.ordinal,
    closingLagMs: venue.closingLagMs,
  };
  return { window, logChannels, beforeRetention: startMs < keptFromMs(recorded, retention, logChannels) };
}

/** Counts what reading the window should find. */
export async function openPinned(
  deps: WindowDeps,
  venue: VenueView,
  pinned: PinnedWindow,
  counting: Promise<PacketCount | undefined> = packetFacts(deps, pinned.window),
): Promise<OpenWindow> {
  const { window, logChannels, beforeRetention } = pinned;
  const [gaps, expected, packets] = await Promise.all([gapsOf(deps, window, logChannels), expectedOf(deps, window, logChannels), counting]);
  return {
    ...pinned,
    gaps,
    facts: {
      logRows: expected.rows,
      countReasons: expected.reasons,
      packets: packets?.total ?? 0,
      isFinished: window.asOfMs + 1 >= window.endMs + venue.closingLagMs && packets?.isFinished !== false,
      beforeRetention: beforeRetention || packets?.beforeRetention === true,
      hasUnreportedChannel: includesUnreported(window.channels, venue.channels),
      packetsUnreachable: window.channels.includes(PACKETS) && packets === undefined,
      losses: gaps.filter((gap) => lossOf(gap) !== 'none'),
    },
  };
}

/** Throws like `pinWindow`. */
export async function openWindow(deps: WindowDeps, venue: VenueView, request: WindowRequest): Promise<OpenWindow> {
  return openPinned(deps, venue, await pinWindow(deps, venue, request));
}

/** Per-hour counts add up, because each row has one exchange time. */
async function expectedOf(deps: WindowDeps, window: Window, channels: readonly Channel[]): Promise<ExpectedRows> {
  let rows = 0;
  const reasons = new Set<ExpectedRows['reasons'][number]>();
  for (let { startMs } = window; startMs < window.endMs && channels.length > 0; startMs += HOUR_MS) {
    const part = { ...rowWindowOf(window, channels), startMs, endMs: Math.min(window.endMs, startMs + HOUR_MS) };
    const expected = await expectedRows(deps, part);
    rows += expected.rows;
    expected.reasons.forEach((reason) => reasons.add(reason));
  }
  return { rows, reasons: [...reasons] };
}

function gapsOf({ pool }: WindowDeps, { symbol, startMs, endMs, asOfMs }: Window, channels: readonly Channel[]): Promise<GapRow[]> {
  return listGapRows(pool, { symbol, fromMs: startMs, toMs: endMs, asOfMs, channels, limit: GAPS_MAX });
}

/** Undefined if labeling cannot be reached. */
export async function packetFacts(deps: WindowDeps, window: Window): Promise<PacketCount | undefined> {
  if (!window.channels.includes(PACKETS)) return { total: 0, isFinished: true, beforeRetention: false };
  try {
    return await countPackets(deps, window);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    deps.logger.warn({ symbol: window.symbol, err: error }, 'counting the packets of a window failed');
    return undefined;
  }
}
