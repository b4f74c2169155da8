import { labeling } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import { clientOfEach, type ClientOfEachOptions } from '@market-state/grpc';
import type { Closable } from '@market-state/lifecycle';

/** Self-checks of all labeling processes; each covers its own symbols. */
export interface SelfChecks extends Closable {
  /** Read as of an instant (0: now), without unreachable processes. @throws ServiceError if no process answers */
  current(asOfMs: number): Promise<ReadonlyMap<string, labeling.SelfCheck>>;
}

export function createSelfChecks(options: ClientOfEachOptions<labeling.LabelingServiceService>): SelfChecks {
  const processes = clientOfEach(options);
  return {
    async current(asOfMs) {
      const calls = (await processes.all()).map((call) => call.listSelfChecks({ asOfMs }));
      await Promise.any(calls).catch((error: AggregateError) => {
        throw error.errors[0] ?? unavailable('upstream_unavailable', 'No labeling process is reachable.');
      });
      const answers = await Promise.allSettled(calls);
      const checks = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.selfChecks : []));
      return new Map(checks.sort(byWeight).map((check) => [check.symbol, check]));
    },
    close: () => processes.close(),
  };
}

export function delayedSelfChecks(checks: SelfChecks, clock: () => number): SelfChecks {
  return { ...checks, current: (asOfMs) => checks.current(asOfMs === 0 ? clock() : Math.min(asOfMs, clock())) };
}

/**
 * While a shard moves, two processes may check a symbol. Sorts the decisive check last: mismatches, then the newest.
 */
function byWeight(a: labeling.SelfCheck, b: labeling.SelfCheck): number {
  return Number(isMismatch(a)) - Number(isMismatch(b)) || a.checkedTsMs - b.checkedTsMs;
}

function isMismatch({ outcome }: labeling.SelfCheck): boolean {
  return outcome === labeling.VerifyEventResponse_Outcome.MISMATCH;
}
