import { createCloser } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import type { CredentialDirectory } from '../serving/auth/credential-directory';
import { createKeyGuard, type KeyGuard } from '../serving/auth/key-guard';
import type { Upstreams } from '../clients/upstreams';
import { STREAM_LIMITS } from './limits';
import { createOpenStreams, type OpenStreams } from './open-streams';
import { createPacketHub, type PacketHub } from './packet-hub';
import { createRowHubs, type RowHubs } from './row-hubs';
import { createStreamMetrics } from './send-stream';

export interface StreamsDeps {
  readonly upstreams: Upstreams;
  readonly directory: CredentialDirectory;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly monotonicMs: () => number;
}

export interface Streams {
  readonly open: OpenStreams;
  readonly guard: KeyGuard;
  readonly packets: PacketHub;
  readonly hubs: RowHubs;
  /** Open streams end before. */
  close(): Promise<void>;
}

export function createStreams({ upstreams, directory, logger, metrics, monotonicMs }: StreamsDeps): Streams {
  const closer = createCloser();
  const { liveRows } = upstreams;
  const packets = createPacketHub({ packets: upstreams.packets, logger });
  closer.add('packet hub', () => packets.close());
  const hubs = createRowHubs({ rows: liveRows, packets, logger });
  closer.add('row hubs', () => hubs.close());
  const guard = createKeyGuard({ directory, logger, monotonicMs, unknownMsMax: STREAM_LIMITS.keyUnknownMs });
  closer.add('key guard', () => guard.close());
  const open = createOpenStreams({ guard, logger, metrics: createStreamMetrics(metrics) });
  return {
    open,
    guard,
    packets,
    hubs,
    close: () => closer.close(),
  };
}
