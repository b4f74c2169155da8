import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { feed } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { type GrpcClient, type healthDefinition, WHOLE_PROCESS } from '@market-state/grpc';
import type { Closable } from '@market-state/lifecycle';

/** Clients of one feed process. */
interface FeedProcess {
  readonly service: GrpcClient<typeof feed.FeedServiceService>;
  readonly health: GrpcClient<typeof healthDefinition>;
}

/** What a feed tells of a symbol, and since when it counts. */
export interface ToldState {
  readonly state: feed.SymbolFeedState;
  readonly startedMs: number;
}

/** The feed processes: of each symbol one writes the log, and others may stand by. */
export interface Feeds extends Closable {
  /** The full book of the feed that writes the log. @throws ServiceError when none gives it */
  deepBook(request: feed.GetDeepBookRequest, deadlineMs: number): Promise<feed.GetDeepBookResponse>;
  /** Of each symbol what the feed that writes its log tells; of one that stands by where that is all that answers. Never fails. */
  states(deadlineMs: number): Promise<ReadonlyMap<string, ToldState>>;
  /** Resolves when one of the processes says that it serves: it plays, or takes over. @throws Error when none does */
  serving(deadlineMs: number): Promise<void>;
}

/** Names are looked up again after this long, milliseconds. */
const LOOKED_UP_MS = 5_000;

export interface FeedsOptions {
  /** `host:port`: a name may have several addresses, as that of a Service without one of its own. */
  readonly address: string;
  readonly open: (address: string) => FeedProcess;
  /** A clock that never goes backwards, milliseconds. */
  readonly monotonicMs: () => number;
  /** The addresses of a name; the system's unless given. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** Asks all feeds that the address names. */
export function createFeeds({ address, open, monotonicMs, resolve = addressesOf }: FeedsOptions): Feeds {
  const [host, port] = splitAddress(address);
  const processes = new Map<string, FeedProcess>();
  let lookedUpMs = -Infinity;
  let looking: Promise<void> | undefined;

  async function lookUp(): Promise<void> {
    const found = isIP(host) !== 0 ? [host] : await resolve(host);
    const targets = new Set(found.map((each) => `${isIP(each) === 6 ? `[${each}]` : each}:${port}`));
    lookedUpMs = monotonicMs();
    for (const target of targets) if (!processes.has(target)) processes.set(target, open(target));
    for (const [target, process] of processes) {
      if (targets.has(target)) continue;
      processes.delete(target);
      void closeBoth(process);
    }
  }

  /** While a name cannot be looked up, those that are known are asked. */
  async function all(): Promise<readonly FeedProcess[]> {
    if (monotonicMs() - lookedUpMs >= LOOKED_UP_MS) {
      looking ??= lookUp().finally(() => (looking = undefined));
      if (processes.size === 0) await looking;
      else looking.catch(() => undefined);
    }
    return [...processes.values()];
  }

  return {
    async deepBook(request, deadlineMs) {
      const asked = (await all()).map(({ service }) => service.call.getDeepBook(request, { deadlineMs }));
      return Promise.any(asked).catch((error: AggregateError) => {
        const errors: readonly unknown[] = error.errors;
        throw errors.find((each) => !isServiceError(each, 'book_not_available')) ?? errors[0];
      });
    },
    async states(deadlineMs) {
      const answers = await all().then(
        (each) => Promise.allSettled(each.map(({ service }) => service.call.getFeedState({}, { deadlineMs }))),
        () => [],
      );
      const told = new Map<string, ToldState>();
      for (const answer of answers) {
        if (answer.status === 'rejected') continue;
        const { symbols, startedMs } = answer.value;
        for (const state of symbols) if (!state.standsBy || !told.has(state.symbol)) told.set(state.symbol, { state, startedMs });
      }
      return told;
    },
    async serving(deadlineMs) {
      const asked = (await all()).map(async ({ health }) => {
        const { status } = await health.call.check({ service: WHOLE_PROCESS }, { deadlineMs });
        if (status !== 'SERVING') throw new Error(`it says ${status}`);
      });
      await Promise.any(asked);
    },
    async close() {
      await Promise.all([...processes.values()].map(closeBoth));
    },
  };
}

async function closeBoth({ service, health }: FeedProcess): Promise<void> {
  await Promise.all([service.close(), health.close()]);
}

async function addressesOf(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function splitAddress(address: string): [host: string, port: string] {
  const colon = address.lastIndexOf(':');
  return [address.slice(0, colon).replace(/^\[|\]$/g, ''), address.slice(colon + 1)];
}
