import { labeling } from '@market-state/contracts';
import type { ServiceError } from '@market-state/errors';
import { followEach, type FollowedStream, type RpcPeer } from '@market-state/grpc';
import type { Metrics } from '@market-state/telemetry';

/** Receives pushed messages; `from` identifies the labeling process. */
interface PushTaker {
  onMessage(message: labeling.StreamPacketsResponse, from: string): void;
  onUp(from: string): void;
  onDown(error: ServiceError, from: string): void;
  onGone(from: string): void;
}

export type PacketPushes = (taker: PushTaker) => FollowedStream;

/** @param addresses `host:port`; a host name stands for all its addresses */
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

/** Receives the streams of all labeling processes as one. */
interface MergedTaker {
  /** A process starts or resumes pushing; the newest packet of each symbol comes first. */
  began(symbols: readonly string[]): void;
  /** `isNewer`: newer than every earlier packet of the symbol. */
  onPacket(record: labeling.PacketRecord, isNewer: boolean): void;
  /** Called when the served or the pushed symbols change. */
  onSymbols(served: readonly string[], pushed: ReadonlySet<string>): void;
}

interface Pusher {
  readonly symbols: readonly string[];
  readonly served: readonly string[];
  readonly isUp: boolean;
}

/** While a shard moves, two processes push the same symbol. */
export function mergePushes(taker: MergedTaker): Omit<PushTaker, 'onUp'> {
  const pushers = new Map<string, Pusher>();
  const newestMs = new Map<string, number>();
  let lastReported = stateOf([], []);

  function report(): void {
    const all = [...pushers.values()];
    const served = [...new Set(all.flatMap((pusher) => pusher.served))];
    const pushed = [...new Set(all.flatMap(({ isUp, symbols }) => (isUp ? symbols : [])))];
    const state = stateOf(served, pushed);
    if (state === lastReported) return;
    lastReported = state;
    taker.onSymbols(served, new Set(pushed));
  }

  function takeHeartbeat({ symbols, servedSymbols }: labeling.Heartbeat, from: string): void {
    if (pushers.get(from)?.isUp !== true) taker.began(symbols);
    pushers.set(from, { symbols, served: servedSymbols.length === 0 ? symbols : servedSymbols, isUp: true });
    report();
  }

  return {
    onMessage({ message }, from) {
      if (message?.$case === 'heartbeat') takeHeartbeat(message.value, from);
      if (message?.$case !== 'packet') return;
      const { symbol, windowEndMs } = message.value;
      const isNewer = windowEndMs > (newestMs.get(symbol) ?? 0);
      if (isNewer) newestMs.set(symbol, windowEndMs);
      taker.onPacket(message.value, isNewer);
    },
    onDown(_error, from) {
      const pusher = pushers.get(from);
      if (pusher !== undefined) pushers.set(from, { ...pusher, isUp: false });
      report();
    },
    onGone(from) {
      pushers.delete(from);
      report();
    },
  };
}

function stateOf(served: readonly string[], pushed: readonly string[]): string {
  return JSON.stringify([served, pushed]);
}
