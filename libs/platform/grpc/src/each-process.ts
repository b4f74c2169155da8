import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Closable, beforeDeadline, delay, runUntilClosed } from '@market-state/lifecycle';
import type { ClientCalls, GrpcClient } from './client';
import type { ServiceMethods } from './service';

const LOOK_EVERY_MS = 2_000;
const LOOK_MS_MAX = 5_000;

export interface ProcessAddresses {
  /** A name stands for all of its addresses. */
  readonly addresses: readonly string[];
  /** Default 2,000. */
  readonly lookupEveryMs?: number;
  /** Default: the system resolver. */
  readonly lookUp?: (name: string) => Promise<readonly string[]>;
}

export interface ProcessInHand {
  /** A process that is up is retained even if its name no longer lists it. */
  isUp(): boolean;
  close(): Promise<void>;
}

interface EachProcessOptions<P extends ProcessInHand> extends ProcessAddresses {
  readonly begin: (from: string) => P;
  /** It is down and has left its name. */
  readonly onGone?: (from: string) => void;
  /** Called once per name without an address. */
  readonly onUnknown?: (listed: string, cause: unknown) => void;
}

interface EachProcess<P extends ProcessInHand> extends Closable {
  all(): readonly P[];
  /** After the first look-up of every name, successful or not. */
  readonly looked: Promise<void>;
}

/** Looks names up repeatedly until closed. */
export function eachProcess<P extends ProcessInHand>(options: EachProcessOptions<P>): EachProcess<P> {
  const { addresses, lookupEveryMs = LOOK_EVERY_MS, lookUp = lookUpAll } = options;
  const inHand = new Map<string, P>();
  const known = new Map<string, readonly string[]>();
  const unknown = new Set<string>();

  async function addressesOf(listed: string): Promise<readonly string[]> {
    const { host, port } = partsOf(listed);
    try {
      const found = await beforeDeadline(LOOK_MS_MAX, lookUp(host));
      if (found.length === 0) throw new Error(`${host} has no address`);
      known.set(
        listed,
        found.map((address) => addressOf(address, port)),
      );
    } catch (cause) {
      if (!known.has(listed) && !unknown.has(listed)) options.onUnknown?.(listed, cause);
      unknown.add(listed);
    }
    return known.get(listed) ?? [];
  }

  function take(from: string): void {
    if (!inHand.has(from)) inHand.set(from, options.begin(from));
  }

  async function look(names: readonly string[], signal: AbortSignal): Promise<void> {
    const found = (await Promise.all(names.map(addressesOf))).flat();
    if (signal.aborted) return;
    found.forEach(take);
    const wanted = new Set([...literals, ...found]);
    for (const [from, process] of inHand) {
      if (wanted.has(from) || process.isUp()) continue;
      inHand.delete(from);
      await process.close();
      options.onGone?.(from);
    }
  }

  const isName = (listed: string): boolean => isIP(partsOf(listed).host) === 0;
  const literals = addresses.filter((listed) => !isName(listed));
  const names = addresses.filter(isName);
  literals.forEach(take);
  let resolveLooked = (): void => undefined;
  const looked = new Promise<void>((resolve) => (resolveLooked = resolve));
  const looking = runUntilClosed(async (signal) => {
    while (names.length > 0 && !signal.aborted) {
      await look(names, signal);
      resolveLooked();
      await delay(lookupEveryMs, signal).catch(() => undefined);
    }
    resolveLooked();
  });
  return {
    all: () => [...inHand.values()],
    looked,
    async close() {
      await looking.close();
      await Promise.all([...inHand.values()].map((process) => process.close()));
      inHand.clear();
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

/** For facts that each process answers separately. */
interface ClientOfEach<D extends ServiceMethods> extends Closable {
  /** Waits for the first look-up of every name. */
  all(): Promise<readonly ClientCalls<D>[]>;
}

export interface ClientOfEachOptions<D extends ServiceMethods> extends ProcessAddresses {
  readonly open: (address: string) => GrpcClient<D>;
}

/** Until closed, as processes come and go. */
export function clientOfEach<D extends ServiceMethods>({ open, ...places }: ClientOfEachOptions<D>): ClientOfEach<D> {
  const processes = eachProcess({
    ...places,
    begin(from) {
      const client = open(from);
      // Clients of processes that left their name are closed.
      return { call: client.call, isUp: () => false, close: () => client.close() };
    },
  });
  return {
    async all() {
      await processes.looked;
      return processes.all().map(({ call }) => call);
    },
    close: () => processes.close(),
  };
}
