import type { feed } from '@market-state/contracts';
import { isServiceError, unavailable } from '@market-state/errors';
import { clientOfEach, type ClientOfEachOptions } from '@market-state/grpc';
import type { Closable } from '@market-state/lifecycle';

/** What a feed tells of a symbol, and since when it counts. */
interface ToldState {
  readonly state: feed.SymbolFeedState;
  readonly startedMs: number;
}

/** The feed processes: of each symbol one writes the log, others may stand by, and those of other shards do not know it. */
export interface Feeds extends Closable {
  /** The full book of the feed that writes the log. @throws ServiceError when none gives it */
  deepBook(request: feed.GetDeepBookRequest, deadlineMs: number): Promise<feed.GetDeepBookResponse>;
  /** Of each symbol what the feed that writes its log tells; of one that stands by where that is all that answers. Never fails. */
  states(deadlineMs: number): Promise<ReadonlyMap<string, ToldState>>;
}

/** What a feed of another shard says, and one that stands by, tells less of a symbol than any other error. */
function telling(error: unknown): number {
  if (isServiceError(error, 'unknown_symbol')) return 0;
  return isServiceError(error, 'book_not_available') ? 1 : 2;
}

/** Asks every feed process. */
export function createFeeds(options: ClientOfEachOptions<typeof feed.FeedServiceService>): Feeds {
  const processes = clientOfEach(options);
  return {
    async deepBook(request, deadlineMs) {
      const asked = (await processes.all()).map((call) => call.getDeepBook(request, { deadlineMs }));
      return Promise.any(asked).catch((error: AggregateError) => {
        const [first = unavailable('upstream_unavailable', 'No feed can be found.'), ...others]: readonly unknown[] = error.errors;
        throw others.reduce((told, each) => (telling(each) > telling(told) ? each : told), first);
      });
    },
    async states(deadlineMs) {
      const answers = await Promise.allSettled((await processes.all()).map((call) => call.getFeedState({}, { deadlineMs })));
      const told = new Map<string, ToldState>();
      for (const answer of answers) {
        if (answer.status === 'rejected') continue;
        const { symbols, startedMs } = answer.value;
        for (const state of symbols) if (!state.standsBy || !told.has(state.symbol)) told.set(state.symbol, { state, startedMs });
      }
      return told;
    },
    close: () => processes.close(),
  };
}
