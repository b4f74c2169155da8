import type { account } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { currentRequestId, type Logger, requestIdOr, withRequestContext } from '@market-state/logging';
import { encodeBody, type Representation, tagOf } from './http/representation';
import { Problem, InvalidRequest, toProblem } from './errors/problem';
import { type CallTry, type AnyCall, type AnyReply, isFile, isStream, type Reply } from './answers/handler';
import { parametersDigest } from './metering/call-price';
import type { Operation } from './openapi/operations';
import type { Input } from './validation/request-validator';

const IDEMPOTENCY_HEADER = 'idempotency-key';

interface GivenAnswer {
  readonly contentType: string;
  readonly body: Buffer;
  readonly location: string;
}

interface StartedCall extends CallTry {
  /** @throws {Problem} 409 if another attempt has taken over the key */
  finish(answer: GivenAnswer): Promise<void>;
  abandon(): Promise<void>;
}

type Beginning = { readonly kind: 'started'; readonly call: StartedCall } | { readonly kind: 'replayed'; readonly answer: GivenAnswer };

export interface IdempotentRequest {
  readonly operation: Operation;
  readonly tenantId: string;
  readonly key: string;
  readonly input: Pick<Input, 'query' | 'path' | 'body'>;
}

export interface Idempotency {
  /** @throws {Problem} 409 while another attempt holds the key, 422 if it was used for another call */
  begin(request: IdempotentRequest): Promise<Beginning>;
}

function inFlight(): Problem {
  return new Problem('idempotency_in_flight', 'The first call with this Idempotency-Key is still running.', {
    headers: { 'Retry-After': '1' },
  });
}

export function createIdempotency(calls: GrpcClient<account.IdempotencyServiceService>, logger: Logger): Idempotency {
  /** Outside the request, whose caller may have left: the next attempt needs the outcome. */
  function outside<T>(work: () => Promise<T>): Promise<T> {
    return withRequestContext({ requestId: requestIdOr(currentRequestId()) }, work);
  }

  function startedCall(tenantId: string, { operationId, fence }: account.Begun): StartedCall {
    const note = (what: string) => (error: unknown) => logger.error({ err: error, operation_id: operationId }, what);
    return {
      operationId,
      operationFence: fence,
      finish: ({ contentType, body, location }) =>
        outside(() => calls.call.finish({ tenantId, operationId, fence, answer: { status: 200, contentType, body, location } })).then(
          () => undefined,
          (error: unknown) => {
            note('an answer could not be stored under its Idempotency-Key')(error);
            if (isServiceError(error, 'fence_passed')) throw inFlight();
          },
        ),
      abandon: () =>
        outside(() => calls.call.abandon({ tenantId, operationId, fence })).then(
          () => undefined,
          note('an Idempotency-Key could not be released'),
        ),
    };
  }

  return {
    async begin({ operation, tenantId, key, input }) {
      const { outcome } = await calls.call.begin({
        tenantId,
        method: operation.method.toUpperCase(),
        route: operation.path,
        idempotencyKey: key,
        bodyDigest: parametersDigest(input),
      });
      switch (outcome?.$case) {
        case 'begun':
          return { kind: 'started', call: startedCall(tenantId, outcome.value) };
        case 'stored':
          return { kind: 'replayed', answer: outcome.value };
        case 'mismatch':
          throw new InvalidRequest([
            {
              loc: ['header', IDEMPOTENCY_HEADER],
              msg: 'was used for another call with a different body, query or path',
              type: 'idempotency_mismatch',
            },
          ]);
        default:
          throw inFlight();
      }
    },
  };
}

function replayed({ metered }: Operation, { contentType, body, location }: GivenAnswer): Reply {
  const representation: Representation = { tag: tagOf(body), contentType, encoded: (encoding) => encodeBody(body, encoding) };
  const headers = {
    ...(location === '' ? {} : { Location: location }),
    'Idempotency-Replayed': 'true',
    ...(metered ? { 'X-Credits-Charged': '0' } : {}),
  };
  return { ...representation, headers };
}

/** Only successes are stored; a refused call releases its key. `serve` receives undefined without a key. */
export async function serveOnce(idempotency: Idempotency, call: AnyCall, serve: (own?: CallTry) => Promise<AnyReply>): Promise<AnyReply> {
  const key = call.input.headers[IDEMPOTENCY_HEADER];
  if (typeof key !== 'string' || call.grant === null) return serve();
  const beginning = await idempotency.begin({ operation: call.operation, tenantId: call.grant.tenantId, key, input: call.input });
  if (beginning.kind === 'replayed') return replayed(call.operation, beginning.answer);
  const startedCall = beginning.call;
  const reply = await orAbandon(startedCall, serve(startedCall));
  if (isStream(reply) || isFile(reply)) await startedCall.abandon();
  else {
    const location = reply.headers?.['Location'] ?? '';
    await startedCall.finish({ contentType: reply.contentType, body: await orAbandon(startedCall, reply.encoded('identity')), location });
  }
  return reply;
}

/**
 * After a failure other than a refusal the work may have happened: the next attempt, after the lease, reuses the
 * operation id.
 */
async function orAbandon<T>(startedCall: StartedCall, work: T | Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isRefusal(error)) await startedCall.abandon();
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  const problem = toProblem(error);
  return !(problem instanceof Problem) || problem.status < 500;
}
