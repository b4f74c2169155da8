import { account } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import { bindService } from '@market-state/grpc';

interface Claimed {
  readonly operationId: string;
  readonly bodyDigest: string;
  fence: number;
  answer?: account.StoredAnswer;
}

/** In-memory IdempotencyService; claims never expire. */
export function standInIdempotency() {
  const claims = new Map<string, Claimed>();

  function owned(operationId: string, fence: number): [string, Claimed] {
    const found = [...claims].find(([, claim]) => claim.operationId === operationId && claim.fence === fence);
    if (found === undefined) throw failedPrecondition('fence_passed', 'Another call has this key.');
    return found;
  }

  return bindService(account.IdempotencyServiceService, {
    async begin({ tenantId, method, route, idempotencyKey, bodyDigest }) {
      const place = JSON.stringify([tenantId, method, route, idempotencyKey]);
      const digest = bodyDigest.toString('hex');
      const claim = claims.get(place);
      if (claim === undefined) {
        const operationId = `op_${claims.size + 1}`;
        claims.set(place, { operationId, bodyDigest: digest, fence: 1 });
        return { outcome: { $case: 'begun', value: { operationId, fence: 1 } } };
      }
      if (claim.bodyDigest !== digest) return { outcome: { $case: 'mismatch', value: {} } };
      if (claim.answer !== undefined) return { outcome: { $case: 'stored', value: claim.answer } };
      return { outcome: { $case: 'running', value: {} } };
    },
    async finish({ operationId, fence, answer }) {
      owned(operationId, fence)[1].answer = answer;
      return {};
    },
    async abandon({ operationId, fence }) {
      claims.delete(owned(operationId, fence)[0]);
      return {};
    },
  });
}
