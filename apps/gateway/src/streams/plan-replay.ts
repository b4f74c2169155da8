import type { marketData } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import { timeLimit } from '@market-state/lifecycle';
import type { MarketDataClient } from '../clients/market-data-client';

/** Time for the plan of a replay, milliseconds. */
const PLAN_MS = 2_000;
const PLAN_AND_RECEIPT = 2;

type Wanted = Pick<marketData.StreamReplayRequest, 'symbol' | 'startMs' | 'endMs' | 'channels' | 'asOfMs'>;

/** What a replay of one symbol has. */
export interface ReplaySize {
  /** By channel. */
  readonly rows: ReadonlyMap<string, number>;
  /** Messages of the stream at most: rows, gaps, plan and receipt. */
  readonly messagesMax: number;
}

/**
 * What a replay of one symbol has, by its plan: counted, and not read. Rejects as the replay would be refused, and with DEADLINE_EXCEEDED
 * or UNAVAILABLE where the data plane does not say.
 */
export async function plannedSize(client: Pick<MarketDataClient, 'call'>, wanted: Wanted): Promise<ReplaySize> {
  const { channels, rowsExpected: total, gapFramesMax } = await planOf(client, wanted);
  const plans = await Promise.all(channels.map((channel) => planOf(client, { ...wanted, channels: [channel] })));
  return {
    rows: new Map(plans.map(({ rowsExpected }, at) => [channels[at] ?? '', rowsExpected])),
    messagesMax: total + gapFramesMax + PLAN_AND_RECEIPT,
  };
}

/** The first frame alone is taken. */
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
