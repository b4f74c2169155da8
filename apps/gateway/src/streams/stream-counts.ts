import { unavailable } from '@market-state/errors';
import type { Grant } from '../serving/auth/grant';
import { Problem, unauthenticated } from '../serving/errors/problem';
import { STREAM_LIMITS } from './limits';

/** What a stream counts as: a long poll is `live`. */
export type StreamKind = 'live' | 'replay';

/** The streams that each tenant has open at this gateway, against the limits of its plan and of the process. */
export interface StreamCounts {
  /**
   * Counts a stream until the function it gives is called. Throws 429 at a limit of the plan, 503 when the gateway holds as many as it may
   * or stops.
   */
  enter(grant: Grant | null, kind: StreamKind): () => void;
  total(): number;
  /** Lets in no more. */
  stop(): void;
}

interface Counts {
  live: number;
  replay: number;
}

const TRY_AGAIN = { 'Retry-After': '5' };

function refusePlan(most: number, what: string): never {
  throw new Problem('limit_reached', `The plan allows ${most} ${what} at once, and all are in use. Nothing was charged.`, {
    headers: TRY_AGAIN,
  });
}

export function createStreamCounts(): StreamCounts {
  const byTenant = new Map<string, Counts>();
  let total = 0;
  let stopping = false;

  function refuseFull(paying: boolean): void {
    if (total < (paying ? STREAM_LIMITS.streamsMax : STREAM_LIMITS.streamsMax - STREAM_LIMITS.streamsKeptForPaying)) return;
    throw new Problem('overloaded', 'This service has no room for another stream; try again later. Nothing was charged.', {
      headers: TRY_AGAIN,
    });
  }

  return {
    enter(grant, kind) {
      if (stopping) throw unavailable('stopping', 'The service is stopping.');
      if (grant === null) throw unauthenticated();
      const { tenantId, plan } = grant;
      const counts = byTenant.get(tenantId) ?? { live: 0, replay: 0 };
      if (counts.live + counts.replay >= plan.limits.streams) refusePlan(plan.limits.streams, 'streams');
      if (kind === 'replay' && counts.replay >= plan.limits.replays) refusePlan(plan.limits.replays, 'replays');
      refuseFull(plan.paying);
      byTenant.set(tenantId, counts);
      counts[kind] += 1;
      total += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        counts[kind] -= 1;
        total -= 1;
        if (counts.live + counts.replay === 0) byTenant.delete(tenantId);
      };
    },
    total: () => total,
    stop() {
      stopping = true;
    },
  };
}
