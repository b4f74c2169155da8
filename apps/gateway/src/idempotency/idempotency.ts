import { createHash } from 'node:crypto';
import type { account } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { canonicalJson } from '@market-state/labeler';
import type { Logger } from '@market-state/logging';
import { InvalidRequest } from '../http/fault-item';
import { Problem } from '../http/problem';
import type { Operation } from '../openapi/operations';

/** Header that makes a repeated call safe, lower case. */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** What was answered to a call, in the bytes that were sent. */
export interface GivenAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** A call that has its key: it is finished with its answer, or the key is given back. */
export interface BegunCall {
  /** The same for every try of the call, on every gateway. */
  readonly operationId: string;
  finish(answer: GivenAnswer): Promise<void>;
  abandon(): Promise<void>;
}

export type Beginning = { readonly kind: 'begun'; readonly call: BegunCall } | { readonly kind: 'replayed'; readonly answer: GivenAnswer };

export interface IdempotentRequest {
  readonly operation: Operation;
  readonly tenantId: string;
  readonly key: string;
  readonly body: unknown;
}

export interface Idempotency {
  /** Takes the key for the call, or gives the answer of the first one. Throws 409 while another has it, 422 when it was used with another body. */
  begin(request: IdempotentRequest): Promise<Beginning>;
}

/** SHA-256 of the body's RFC 8785 form. */
function bodyDigest(body: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(body ?? null)).digest();
}

export function createIdempotency(calls: GrpcClient<account.IdempotencyServiceService>, logger: Logger): Idempotency {
  function begun(tenantId: string, { operationId, fence }: account.Begun): BegunCall {
    const note = (what: string) => (error: unknown) => logger.error({ err: error, operation_id: operationId }, what);
    return {
      operationId,
      finish: ({ contentType, body }) =>
        calls.call.finish({ tenantId, operationId, fence, answer: { status: 200, contentType, body, location: '' } }).then(() => undefined, note('an answer could not be kept under its Idempotency-Key')),
      abandon: () => calls.call.abandon({ tenantId, operationId, fence }).then(() => undefined, note('an Idempotency-Key could not be given back')),
    };
  }

  return {
    async begin({ operation, tenantId, key, body }) {
      const { outcome } = await calls.call.begin({ tenantId, method: operation.method.toUpperCase(), route: operation.path, idempotencyKey: key, bodyDigest: bodyDigest(body) });
      switch (outcome?.$case) {
        case 'begun':
          return { kind: 'begun', call: begun(tenantId, outcome.value) };
        case 'stored':
          return { kind: 'replayed', answer: outcome.value };
        case 'mismatch':
          throw new InvalidRequest([{ loc: ['header', IDEMPOTENCY_HEADER], msg: 'was used with another body', type: 'idempotency_mismatch' }]);
        default:
          throw new Problem('idempotency_in_flight', 'The first call with this Idempotency-Key is still running.', { headers: { 'Retry-After': '1' } });
      }
    },
  };
}
