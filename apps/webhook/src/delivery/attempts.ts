import type { Ended } from './attempt-result';
import type { Claim } from './claim-next';
import { persist } from './persist';
import { recordResults } from './record-results';
import { sendDelivery } from './send-delivery';
import { workOnLane } from './work-on-lane';
import type { WorkerDeps } from './worker-deps';

/** Attempts of a process that are under way. */
export interface Attempts {
  /** Begins an attempt at each delivery that was claimed. */
  begin(claim: Claim): void;
  /** Claims no more, and resolves when those under way have ended. */
  close(): Promise<void>;
}

interface Waiting {
  readonly ended: Ended;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Results of an endpoint that come in while others of it are being written are written together, and their places passed on. */
export function createAttempts(deps: WorkerDeps): Attempts {
  const underWay = new Set<Promise<void>>();
  const results = new Map<string, Waiting[]>();
  let isClosing = false;

  function track(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  function begin(claim: Claim): void {
    for (const delivery of claim.deliveries) track(sendDelivery(deps, { ...claim, delivery }, record));
  }

  function record(ended: Ended): Promise<void> {
    return new Promise((resolve, reject) => {
      const { endpointId } = ended.lane;
      const others = results.get(endpointId);
      const waiting = { ended, resolve, reject };
      if (others !== undefined) return void others.push(waiting);
      results.set(endpointId, [waiting]);
      track(writeAll(endpointId));
    });
  }

  async function writeAll(endpointId: string): Promise<void> {
    for (;;) {
      const batch = results.get(endpointId) ?? [];
      if (batch.length === 0) return void results.delete(endpointId);
      results.set(endpointId, []);
      await write(batch);
    }
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    try {
      const ended = batch.map((waiting) => waiting.ended);
      const claim = await persist(() => recordResults(deps, ended, isClosing));
      for (const { resolve } of batch) resolve();
      if (claim !== undefined) begin(claim);
      if ((claim?.deliveries.length ?? 0) < batch.length) giveTurn(ended[0]?.lane.tenantId ?? '');
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function giveTurn(tenantId: string): void {
    const endpointId = isClosing ? undefined : deps.turns.next(tenantId);
    if (endpointId === undefined) return;
    const look = workOnLane(deps, { endpointId }, begin);
    track(look.catch((error: unknown) => deps.logger.warn({ err: error, endpoint_id: endpointId }, 'a lane was not looked at')));
  }

  return {
    begin,
    async close() {
      isClosing = true;
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
