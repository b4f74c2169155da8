import { labeling } from '@market-state/contracts';
import type { ServiceError } from '@market-state/errors';
import { followEach, type FollowedStream, type RpcPeer } from '@market-state/grpc';
import type { Metrics } from '@market-state/telemetry';

/** What a taker of pushes is told; `from` tells the processes of labeling apart. */
interface PushTaker {
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

/** Takes the pushes of all processes of labeling as if they were of one. */
interface MergedTaker {
  /** A process pushes packets of these symbols, for the first time or again; the newest of each comes first. */
  began(symbols: readonly string[]): void;
  /** A packet; `isNewer` than every packet of its symbol before, whichever process pushed that. */
  onPacket(record: labeling.PacketRecord, isNewer: boolean): void;
  /** The symbols that are served, or those that a process pushes whose stream is up, have changed. */
  onSymbols(served: readonly string[], pushed: ReadonlySet<string>): void;
}

interface Pusher {
  readonly symbols: readonly string[];
  readonly served: readonly string[];
  readonly isUp: boolean;
}

/** A symbol is pushed by the process of its shard; by two while a shard passes from one to the other. */
export function mergePushes(taker: MergedTaker): Omit<PushTaker, 'onUp'> {
  const pushers = new Map<string, Pusher>();
  const newestMs = new Map<string, number>();
  let told = stateOf([], []);

  function tell(): void {
    const all = [...pushers.values()];
    const served = [...new Set(all.flatMap((pusher) => pusher.served))];
    const pushed = [...new Set(all.flatMap(({ isUp, symbols }) => (isUp ? symbols : [])))];
    const state = stateOf(served, pushed);
    if (state === told) return;
    told = state;
    taker.onSymbols(served, new Set(pushed));
  }

  function takeHeartbeat({ symbols, servedSymbols }: labeling.Heartbeat, from: string): void {
    if (pushers.get(from)?.isUp !== true) taker.began(symbols);
    pushers.set(from, { symbols, served: servedSymbols.length === 0 ? symbols : servedSymbols, isUp: true });
    tell();
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
      tell();
    },
    onGone(from) {
      pushers.delete(from);
      tell();
    },
  };
}

function stateOf(served: readonly string[], pushed: readonly string[]): string {
  return JSON.stringify([served, pushed]);
}
