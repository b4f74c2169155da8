import type { marketData } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import { timeLimit } from '@market-state/lifecycle';
import type { MarketDataClient } from '../clients/market-data-client';
import { InvalidRequest } from '../serving/errors/problem';
import { toUtc } from '../serving/meta/meta';
import { STREAM_LIMITS } from './limits';

export const DEFAULT_WINDOW_MS = 300_000;

export const WINDOW_MS_MAX = 3_600_000;

/** Exchange time; the end is exclusive. */
export interface ReplayWindow {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Default: the last 5 minutes up to the feed clock; without a start, the 5 minutes before the end; without an end, up
 * to an hour from the start but not past the feed clock.
 * @throws {InvalidRequest} without an end, if the start is not before the feed clock
 */
export function windowOf(
  startMs: number | null,
  endMs: number | null,
  feedClockMs: number,
  names: readonly [string, string] = ['start', 'end'],
): ReplayWindow {
  if (endMs !== null) return { startMs: startMs ?? Math.max(0, endMs - DEFAULT_WINDOW_MS), endMs };
  if (startMs === null) return { startMs: feedClockMs - DEFAULT_WINDOW_MS, endMs: feedClockMs };
  if (startMs < feedClockMs) return { startMs, endMs: Math.min(startMs + WINDOW_MS_MAX, feedClockMs) };
  throw new InvalidRequest([
    { loc: ['query', names[0]], msg: `must be before the feed clock, ${toUtc(feedClockMs)}, if ${names[1]} is empty`, type: 'window' },
  ]);
}

/** `windowOf`, but without an end up to a day. */
export function streamWindowOf(startMs: number | null, endMs: number | null, feedClockMs: number): ReplayWindow {
  if (startMs === null || endMs !== null || startMs >= feedClockMs) return windowOf(startMs, endMs, feedClockMs);
  return { startMs, endMs: Math.min(startMs + STREAM_LIMITS.replayMs, feedClockMs) };
}

const PLAN_MS = 2_000;
const PLAN_AND_RECEIPT = 2;

type Wanted = Pick<marketData.StreamReplayRequest, 'symbol' | 'startMs' | 'endMs' | 'channels' | 'asOfMs'>;

interface ReplaySize {
  readonly rows: ReadonlyMap<string, number>;
  /** Upper bound: rows, gaps, plan and receipt. */
  readonly messagesMax: number;
}

/**
 * Counted from the plan without reading rows. Rejects as the replay would, or with DEADLINE_EXCEEDED or UNAVAILABLE.
 */
export async function plannedSize(client: Pick<MarketDataClient, 'call'>, wanted: Wanted): Promise<ReplaySize> {
  const { channels, rowsExpected: total, gapFramesMax } = await planOf(client, wanted);
  const plans = await Promise.all(channels.map((channel) => planOf(client, { ...wanted, channels: [channel] })));
  return {
    rows: new Map(plans.map(({ rowsExpected }, at) => [channels[at] ?? '', rowsExpected])),
    messagesMax: total + gapFramesMax + PLAN_AND_RECEIPT,
  };
}

async function planOf({ call }: Pick<MarketDataClient, 'call'>, wanted: Wanted): Promise<marketData.ReplayPlan> {
  const enough = new AbortController();
  const signal = AbortSignal.any([enough.signal, timeLimit(PLAN_MS)]);
  try {
    for await (const { frame } of call.streamReplay({ ...wanted, speed: 0, after: undefined, further: [] }, { signal }))
      if (frame?.$case === 'plan') return frame.value;
  } finally {
    enough.abort();
  }
  throw unavailable('upstream_unavailable', 'The rows of this window could not be counted.');
}
