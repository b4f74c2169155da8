import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type ServiceError, unavailable } from '@market-state/errors';
import { beforeDeadline, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Metrics } from '@market-state/telemetry';
import { type ClientCalls, createClient, type GrpcClient } from './client';
import { type FollowedStream, followStream } from './follow-stream';
import type { RpcPeer } from './identity/identity';
import type { ServiceMethods } from './method-types';

/** How often names are looked up again, and how long one look may take, milliseconds. */
const LOOK_EVERY_MS = 2_000;
const LOOK_MS_MAX = 5_000;

export interface FollowEachOptions<D extends ServiceMethods, T> {
  readonly definition: D;
  /** `host:port` each; a name stands for every address that it has. */
  readonly addresses: readonly string[];
  readonly peer: RpcPeer;
  readonly metrics?: Metrics;
  /** Opens the stream of one process again. */
  readonly open: (call: ClientCalls<D>, signal: AbortSignal) => AsyncIterable<T>;
  /** Takes one message of a process, whose next is read when it is done. `from` tells processes apart. */
  readonly onMessage: (message: T, from: string) => void | Promise<void>;
  /** The first message of a connection has come. */
  readonly onUp?: (from: string) => void;
  /** The stream of a process that was up is down, its first connection failed, or a name has no address. */
  readonly onDown?: (error: ServiceError, from: string) => void;
  /** A process that is down has left its name. */
  readonly onGone?: (from: string) => void;
  /** Longest delay before a retry, milliseconds; default 2,000. */
  readonly maxDelayMs?: number;
  /** How often names are looked up again, milliseconds; default 2,000. */
  readonly lookEveryMs?: number;
  /** The addresses of a name; default: those that the system knows. */
  readonly lookUp?: (name: string) => Promise<readonly string[]>;
}

interface Followed<D extends ServiceMethods> {
  readonly client: GrpcClient<D>;
  readonly stream: FollowedStream;
}

/**
 * Follows a stream of every process of a service until closed, as `followStream` follows one: of each address listed, or that a listed
 * name has. Names are looked up again and again, so that processes may come and go.
 */
export function followEach<D extends ServiceMethods, T>(options: FollowEachOptions<D, T>): FollowedStream {
  const { definition, addresses, peer, metrics, maxDelayMs, lookEveryMs = LOOK_EVERY_MS, lookUp = lookUpAll } = options;
  const followed = new Map<string, Followed<D>>();
  /** The addresses of each name when it was last found. */
  const known = new Map<string, readonly string[]>();
  /** Names of which it was told that they have none yet. */
  const unknown = new Set<string>();

  function begin(from: string): void {
    const client = createClient({ definition, address: from, peer, metrics });
    const stream = followStream<T>({
      open: (signal) => options.open(client.call, signal),
      onMessage: (message) => options.onMessage(message, from),
      onUp: () => options.onUp?.(from),
      onDown: (error) => options.onDown?.(error, from),
      maxDelayMs,
    });
    followed.set(from, { client, stream });
  }

  async function end(from: string, { client, stream }: Followed<D>): Promise<void> {
    followed.delete(from);
    await stream.close();
    await client.close();
  }

  function tellUnknown(listed: string, cause: unknown): void {
    if (unknown.has(listed)) return;
    unknown.add(listed);
    const detail = `${listed} has no address`;
    options.onDown?.(unavailable('upstream_unavailable', 'A service cannot be found.', { detail, cause }), listed);
  }

  async function addressesOf(listed: string): Promise<readonly string[]> {
    const { host, port } = partsOf(listed);
    if (isIP(host) !== 0) return [listed];
    try {
      const found = await beforeDeadline(LOOK_MS_MAX, lookUp(host));
      if (found.length > 0)
        known.set(
          listed,
          found.map((address) => addressOf(address, port)),
        );
    } catch (cause) {
      if (!known.has(listed)) tellUnknown(listed, cause);
    }
    return known.get(listed) ?? [];
  }

  /** A process whose stream is up stays, whatever its name says by now. */
  async function look(signal: AbortSignal): Promise<void> {
    const wanted = new Set((await Promise.all(addresses.map(addressesOf))).flat());
    if (signal.aborted) return;
    for (const from of wanted) if (!followed.has(from)) begin(from);
    for (const [from, one] of followed) {
      if (wanted.has(from) || one.stream.isUp()) continue;
      await end(from, one);
      options.onGone?.(from);
    }
  }

  const hasNames = addresses.some((listed) => isIP(partsOf(listed).host) === 0);
  const looking = runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      await look(signal);
      if (!hasNames) return;
      await delay(lookEveryMs, signal).catch(() => undefined);
    }
  });
  return {
    isUp: () => [...followed.values()].some(({ stream }) => stream.isUp()),
    async close() {
      await looking.close();
      await Promise.all([...followed].map(([from, one]) => end(from, one)));
    },
  };
}

async function lookUpAll(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function partsOf(listed: string): { readonly host: string; readonly port: string } {
  const at = listed.lastIndexOf(':');
  return { host: listed.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: listed.slice(at + 1) };
}

function addressOf(address: string, port: string): string {
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}
