import { encodeBody } from '../http/encoding';
import { Problem } from '../errors/problem';
import type { Representation } from '../http/representation';
import { tagOf } from '../http/entity-tag';
import { toProblem } from '../errors/to-problem';
import type { CallTry } from '../handlers/call-try';
import { type AnyCall, type AnyReply, isFile, isStream, type Reply } from '../handlers/handler';
import { type BegunCall, type GivenAnswer, IDEMPOTENCY_HEADER, type Idempotency } from './idempotency';

function replayed({ contentType, body, location }: GivenAnswer): Reply {
  const representation: Representation = { tag: tagOf(body), contentType, encoded: (encoding) => encodeBody(body, encoding) };
  return { ...representation, headers: { ...(location === '' ? {} : { Location: location }), 'Idempotency-Replayed': 'true' } };
}

/**
 * Serves a call at most once for each Idempotency-Key: a repeated one gets the first answer again. Only a success is kept; a call that
 * is refused gives its key back. `serve` gets the try of the key, undefined where the call carries none.
 */
export async function serveOnce(idempotency: Idempotency, call: AnyCall, serve: (own?: CallTry) => Promise<AnyReply>): Promise<AnyReply> {
  const key = call.input.headers[IDEMPOTENCY_HEADER];
  if (typeof key !== 'string' || call.grant === null) return serve();
  const beginning = await idempotency.begin({ operation: call.operation, tenantId: call.grant.tenantId, key, input: call.input });
  if (beginning.kind === 'replayed') return replayed(beginning.answer);
  const begun = beginning.call;
  const reply = await orAbandon(begun, serve(begun));
  if (isStream(reply) || isFile(reply)) await begun.abandon();
  else {
    const location = reply.headers?.['Location'] ?? '';
    await begun.finish({ contentType: reply.contentType, body: await orAbandon(begun, reply.encoded('identity')), location });
  }
  return reply;
}

/**
 * Gives the key back when the work was refused. After any other failure it may be done all the same: the key stays with this try until its
 * lease is over, and then goes to the next with the same operation id.
 */
async function orAbandon<T>(begun: BegunCall, work: T | Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isRefusal(error)) await begun.abandon();
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  const problem = toProblem(error);
  return !(problem instanceof Problem) || problem.status < 500;
}
