import { labeling } from '@market-state/contracts';
import type { ServiceError } from '@market-state/errors';
import { followEach, type FollowedStream, type RpcPeer } from '@market-state/grpc';
import type { Metrics } from '@market-state/telemetry';

/** What a taker of pushes is told; `from` tells the processes of labeling apart. */
export interface PushTaker {
  onMessage(message: labeling.StreamPacketsResponse, from: string): void;
  onUp(from: string): void;
  onDown(error: ServiceError, from: string): void;
  onGone(from: string): void;
}

/** Opens a stream of packets from every process of labeling, again whenever one breaks. */
export type PacketPushes = (taker: PushTaker) => FollowedStream;

/** @param addresses of labeling, `host:port` each; a name stands for every address that it has */
export function packetPushes(addresses: readonly string[], peer: RpcPeer, metrics: Metrics): PacketPushes {
  return (taker) =>
    followEach({
      definition: labeling.LabelingServiceService,
      addresses,
      peer,
      metrics,
      open: (call, signal) => call.streamPackets({ symbols: [] }, { signal }),
      ...taker,
    });
}
