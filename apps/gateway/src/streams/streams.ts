import { marketData } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { createCloser } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import type { CredentialDirectory } from '../auth/credential-directory';
import { createKeyGuard } from '../auth/key-guard';
import type { MarketDataClient } from '../clients/market-data-client';
import type { Upstreams } from '../clients/upstreams';
import type { Handler } from '../routes/handler';
import { streamData } from '../routes/stream-data';
import { streamDataReplay } from '../routes/stream-data-replay';
import { streamPackets } from '../routes/stream-packets';
import { STREAM_LIMITS } from './limits';
import { createOpenStreams, type OpenStreams } from './open-streams';
import { createPacketHub, type PacketHub } from './packet-hub';
import { createRowHubs, type RowHubs } from './row-hubs';
import { createStreamMetrics } from './stream-metrics';

export interface StreamsDeps {
  readonly dataPlaneAddress: string;
  readonly upstreams: Upstreams;
  readonly directory: CredentialDirectory;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly monotonicMs: () => number;
}

export interface Streams {
  readonly open: OpenStreams;
  /** Wants every packet that is pushed. */
  readonly packets: PacketHub;
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly hubs: RowHubs;
  /** The connection that rows are read from. */
  readonly rows: MarketDataClient;
  /** Lets go of the sources; the open streams are ended before. */
  close(): Promise<void>;
}

/** Everything that serves event streams. */
export function createStreams({ dataPlaneAddress, upstreams, directory, logger, metrics, monotonicMs }: StreamsDeps): Streams {
  const closer = createCloser();
  // Its own connection: streams that stay open must not use up the calls in flight that other routes need.
  const rows = createClient({ definition: marketData.MarketDataServiceService, address: dataPlaneAddress, idempotent: ['getFreshness'], metrics });
  closer.add('rows', () => rows.close());
  const packets = createPacketHub({ packets: upstreams.packets, logger });
  closer.add('packet hub', () => packets.close());
  const hubs = createRowHubs({ rows, packets, logger });
  closer.add('row hubs', () => hubs.close());
  const guard = createKeyGuard({ directory, logger, monotonicMs, unknownMsMax: STREAM_LIMITS.keyUnknownMs });
  closer.add('key guard', () => guard.close());
  const open = createOpenStreams({ guard, logger, metrics: createStreamMetrics(metrics) });
  return {
    open,
    packets,
    handlers: {
      streamData: streamData(open, { rows, hubs, packets, logger }),
      streamDataReplay: streamDataReplay(open, { rows, logger }),
      streamPackets: streamPackets(open, { hub: packets, packets: upstreams.packets }),
    },
    hubs,
    rows,
    close: () => closer.close(),
  };
}
