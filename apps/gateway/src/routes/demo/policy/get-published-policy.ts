import { loadPolicy } from '@market-state/labeler';
import type { Upstreams } from '../../../clients/upstreams';
import { servedSymbols } from '../../../clients/market-data-client';
import { ownMeta } from '../../../serving/answers/own-meta';
import { fixedRepresentation, jsonRepresentation, type Representation } from '../../../serving/http/representation';
import { toUtc } from '../../../serving/meta/utc';
import { refuseOtherPolicy } from './policy-in-force';
import { parseInstant } from '../../../serving/validation/instant';
import type { AnyHandler, CallContext } from '../../../serving/handlers/handler';

const SENTENCE = 'The policy of this release, as it is in its files.';

export interface PublishedPolicyDeps {
  readonly upstreams: Pick<Upstreams, 'marketData' | 'packets'>;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** A part of the policy of this release. Without `as_of` it speaks of when this process read it, and its bytes are made once. */
export function getPublishedPolicy(make: () => object, { upstreams, now }: PublishedPolicyDeps): AnyHandler {
  const readMs = now();
  let kept: Representation | undefined;
  const body = (call: CallContext, asOfMs: number): object => ({
    as_of_utc: toUtc(asOfMs),
    ...make(),
    meta: ownMeta(call, SENTENCE, true),
  });
  return async (call) => {
    const askedMs = parseInstant(String(call.input.query['as_of'] ?? ''));
    if (askedMs === null) return (kept ??= fixedRepresentation(Buffer.from(JSON.stringify(body(call, readMs)))));
    const asOfMs = Math.min(askedMs, now());
    const symbols = (await servedSymbols(upstreams.marketData)).map(({ symbol }) => symbol);
    await refuseOtherPolicy(upstreams.packets, symbols, loadPolicy().digest, asOfMs, now());
    return jsonRepresentation(body(call, asOfMs));
  };
}
