import { loadPolicy } from '@market-state/labeler';
import type { Upstreams } from '../../../clients/upstreams';
import { servedSymbols } from '../../../clients/market-data-client';
import { ownMeta } from '../../../serving/answers/account-answer';
import { fixedJson, jsonRepresentation, type Representation } from '../../../serving/http/representation';
import type { Meta } from '../../../serving/meta/meta';
import { toUtc, parseInstant } from '../../../serving/meta/instant';
import { refuseOtherPolicy } from './policy-in-force';
import type { Call, CallContext } from '../../../serving/answers/handler';

const SENTENCE = 'The policy of this release, as it is in its files.';

export interface PublishedPolicyDeps {
  readonly upstreams: Pick<Upstreams, 'marketData' | 'packets'>;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** What every part of the policy is published with. */
interface Published {
  readonly as_of_utc: string;
  readonly meta: Meta;
}

/** A part of the policy of this release. Without `as_of` it speaks of when this process read it, and its bytes are made once. */
export function getPublishedPolicy<T extends object>(make: () => T, { upstreams, now }: PublishedPolicyDeps) {
  const readMs = now();
  let kept: Representation<T & Published> | undefined;
  const body = (call: CallContext, asOfMs: number): T & Published => ({
    as_of_utc: toUtc(asOfMs),
    ...make(),
    meta: ownMeta(call, SENTENCE, true),
  });
  return async (call: Call<'getLabelingPolicy' | 'getStateTaxonomy' | 'getComputeLanes'>): Promise<Representation<T & Published>> => {
    const askedMs = parseInstant(call.input.query.as_of);
    if (askedMs === null) return (kept ??= fixedJson(body(call, readMs)));
    const asOfMs = Math.min(askedMs, now());
    const symbols = (await servedSymbols(upstreams.marketData)).map(({ symbol }) => symbol);
    await refuseOtherPolicy(upstreams.packets, symbols, loadPolicy().digest, asOfMs, now());
    return jsonRepresentation(body(call, asOfMs));
  };
}
