import { encodeBody } from '../http/encoding';
import type { Representation } from '../http/representation';
import { tagOf } from '../http/entity-tag';
import { type Call, isStream, type Reply } from '../routes/handler';
import type { StreamSource } from '../streams/source';
import { type GivenAnswer, IDEMPOTENCY_HEADER, type Idempotency } from './idempotency';

function replayed({ contentType, body }: GivenAnswer): Reply {
  const representation: Representation = { tag: tagOf(body), contentType, encoded: (encoding) => encodeBody(body, encoding) };
  return { ...representation, headers: { 'Idempotency-Replayed': 'true' } };
}

/**
 * Serves a call at most once for each Idempotency-Key: a repeated one gets the first answer again. Only a success is kept; a call that
 * fails gives its key back. `serve` gets the operation id of the key, undefined where the call carries none.
 */
export async function serveOnce(idempotency: Idempotency, call: Call, serve: (operationId?: string) => Promise<Reply | StreamSource>): Promise<Reply | StreamSource> {
  const key = call.input.headers[IDEMPOTENCY_HEADER];
  if (typeof key !== 'string' || call.grant === null) return serve();
  const beginning = await idempotency.begin({ operation: call.operation, tenantId: call.grant.tenantId, key, body: call.input.body });
  if (beginning.kind === 'replayed') return replayed(beginning.answer);
  try {
    const reply = await serve(beginning.call.operationId);
    if (isStream(reply)) await beginning.call.abandon();
    else await beginning.call.finish({ contentType: reply.contentType, body: await reply.encoded('identity') });
    return reply;
  } catch (error) {
    await beginning.call.abandon();
    throw error;
  }
}
