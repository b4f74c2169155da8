import bundleUrl from '../../../../dist/portal-sample/bundle.ndjson.gz?url';
import policyUrl from '../../../../dist/portal-sample/policy.json?url';
import summaryUrl from '../../../../dist/portal-sample/summary.json?url';
import type { Packet } from '@market-state/labeler';
import type { RecomputeRequest } from './messages';

/**
 * Sample shipped with the portal, recomputed without a key or any service call. Its signing key is public, so the
 * signature shows how the check works, not who signed.
 */
export async function sampleRequest(signal?: AbortSignal): Promise<RecomputeRequest> {
  const [bundle, policy] = await Promise.all([load(bundleUrl, signal), load(policyUrl, signal)]);
  return { bundle: await bundle.arrayBuffer(), policyFiles: (await policy.json()) as object, keys: null };
}

export interface SampleSummary {
  readonly packet_total: number;
  readonly entry_total: number;
  readonly packet: Packet;
}

export async function sampleSummary(signal?: AbortSignal): Promise<SampleSummary> {
  return (await load(summaryUrl, signal)).json() as Promise<SampleSummary>;
}

export const SAMPLE_BUNDLE_URL = bundleUrl;

async function load(url: string, signal: AbortSignal | undefined): Promise<Response> {
  // eslint-disable-next-line no-restricted-globals -- a file of the portal, not a route of the service
  const response = await fetch(url, signal === undefined ? {} : { signal });
  if (!response.ok) throw new Error(`The sample could not be loaded: ${response.status}.`);
  return response;
}
