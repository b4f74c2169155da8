import bundleUrl from '../../../../dist/portal-sample/bundle.ndjson.gz?url';
import policyUrl from '../../../../dist/portal-sample/policy.json?url';
import summaryUrl from '../../../../dist/portal-sample/summary.json?url';
import type { Packet } from '@market-state/labeler';
import { loadFile } from '../service/client';
import type { RecomputeRequest } from './messages';

/**
 * Sample shipped with the portal, recomputed without a key or any service call. Its signing key is public, so the
 * signature shows how the check works, not who signed.
 */
export async function sampleRequest(signal?: AbortSignal): Promise<RecomputeRequest> {
  const [bundle, policy] = await Promise.all([loadFile(bundleUrl, signal), loadFile(policyUrl, signal)]);
  return { bundle: await bundle.arrayBuffer(), policyFiles: (await policy.json()) as object, keys: null };
}

export interface SampleSummary {
  readonly packet_total: number;
  readonly entry_total: number;
  readonly packet: Packet;
}

export async function sampleSummary(signal?: AbortSignal): Promise<SampleSummary> {
  return (await loadFile(summaryUrl, signal)).json() as Promise<SampleSummary>;
}

export const SAMPLE_BUNDLE_URL = bundleUrl;
