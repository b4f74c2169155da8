import type { feed } from '@market-state/contracts';
import { isServiceError, unavailable } from '@market-state/errors';
import { clientOfEach, type ClientOfEachOptions } from '@market-state/grpc';
import type { Closable } from '@market-state/lifecycle';

interface ReportedState {
  readonly state: feed.SymbolFeedState;
  readonly startedMs: number;
}

/** One feed writes each symbol's log; others stand by, and other shards do not know it. */
export interface Feeds extends Closable {
  deepBook(request: feed.GetDeepBookRequest, deadlineMs: number): Promise<feed.GetDeepBookResponse>;
  /** States from the writing feeds, otherwise from a standby. Never rejects. */
  states(deadlineMs: number): Promise<ReadonlyMap<string, ReportedState>>;
}

/** Ranks errors: unknown symbols (other shards) and standbys are the least informative. */
function telling(error: unknown): number {
  if (isServiceError(error, 'unknown_symbol')) return 0;
  return isServiceError(error, 'book_not_available') ? 1 : 2;
}

export function createFeeds(options: ClientOfEachOptions<typeof feed.FeedServiceService>): Feeds {
  const processes = clientOfEach(options);
  return {
    async deepBook(request, deadlineMs) {
      const answers = (await processes.all()).map((call) => call.getDeepBook(request, { deadlineMs }));
      return Promise.any(answers).catch((error: AggregateError) => {
        const [first = unavailable('upstream_unavailable', 'No feed is available.'), ...others]: readonly unknown[] = error.errors;
        throw others.reduce((reported, each) => (telling(each) > telling(reported) ? each : reported), first);
      });
    },
    async states(deadlineMs) {
      const answers = await Promise.allSettled((await processes.all()).map((call) => call.getFeedState({}, { deadlineMs })));
      const newest = new Map<string, ReportedState>();
      for (const answer of answers) {
        if (answer.status === 'rejected') continue;
        const { symbols, startedMs } = answer.value;
        for (const state of symbols) if (!state.standsBy || !newest.has(state.symbol)) newest.set(state.symbol, { state, startedMs });
      }
      return newest;
    },
    close: () => processes.close(),
  };
}
