import type { Logger } from '@market-state/logging';
import type { DataHealthWatch } from '../clients/data-health';
import type { Upstreams } from '../clients/upstreams';
import type { Operation } from './openapi/operations';
import type { RunningRelease } from '../release/running-release';
import { keyedPreviews } from '../routes/demo/previews/preview-handlers';
import type { PreviewSource } from '../routes/demo/previews/preview-source';
import { getStreamManifest } from '../routes/data/get-stream-manifest';
import type { Handler } from './handlers/handler';
import { liveHandlers } from '../routes/live-handlers';
import { streamDataReplay } from '../routes/data/stream-data-replay';
import type { OpenStreams } from '../streams/open-streams';
import { delayedClock, notForSandbox } from '../clients/delayed/delay';
import { delayedLatest } from '../routes/market-state/delayed-latest';
import { delayedMarketData } from '../clients/delayed/delayed-market-data';
import { delayedPackets } from '../clients/delayed/delayed-packets';

/** Routes that hold no market data: a sandbox key is served as any other. */
const WITHOUT_MARKET_DATA: ReadonlySet<string> = new Set(['getMe', 'listUsage', 'estimateUsage', 'getUsageReceipt', 'simulateTiers', 'getReleaseStatus']);

/** Routes whose answers are about now, or that change something. */
const REFUSED: ReadonlySet<string> = new Set(['createPacketFeedback', 'getDataHealth']);

export interface SandboxDeps {
  readonly upstreams: Upstreams;
  readonly streams: Pick<OpenStreams, 'admit'>;
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
  readonly release: RunningRelease;
  /** The tape that anyone may read. */
  readonly publicSource: PreviewSource;
  readonly baseUrl: () => string;
  readonly logger: Logger;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

function refuse(): never {
  throw notForSandbox();
}

/** Chooses who serves a sandbox key. */
export type SandboxHandlers = (operation: Operation, handler: Handler) => Handler;

/** The same handlers as everyone's, over neighbours that tell nothing younger than the delay. A route that is not among them is refused. */
export function sandboxHandlers({ upstreams, streams, dataHealth, release, publicSource, baseUrl, logger, now }: SandboxDeps): SandboxHandlers {
  const clock = delayedClock(now);
  const marketData = delayedMarketData(upstreams.marketData, clock);
  const packets = delayedPackets(upstreams.packets, clock);
  const replay = streamDataReplay(streams, { rows: delayedMarketData(upstreams.replayRows, clock), logger });
  const handlers: Readonly<Record<string, Handler>> = {
    ...liveHandlers({ upstreams: { ...upstreams, marketData, packets }, latest: delayedLatest({ packets, marketData, clock }), dataHealth, release, baseUrl, now: clock }),
    ...keyedPreviews({ upstreams: { ...upstreams, marketData, packets }, release, publicSource, baseUrl, now: clock, receiptsUpToNow: true }),
    getStreamManifest: getStreamManifest(marketData, dataHealth, clock),
    streamDataReplay: async (call) => ({ ...(await replay(call)), delayed: true }),
  };
  return ({ operationId }, handler) => {
    if (WITHOUT_MARKET_DATA.has(operationId)) return handler;
    return REFUSED.has(operationId) ? refuse : (handlers[operationId] ?? refuse);
  };
}
