import { toUtc } from '../serving/meta/meta';
import { operationById } from '../serving/openapi/operations';
import { pageVersion, pathsOf, fingerprintOf, partsUnder } from './release-parts';
import type { DifferingPart, ReleaseCheck } from './running-release';
import type { Described, WithoutMeta } from '../serving/openapi/document';

const DOCUMENT_ROUTE = operationById('getOpenapi').path;
const DOCUMENT_ROUTES = [DOCUMENT_ROUTE, ...['getMarketStateOpenapi', 'getDocsOpenapi'].map((id) => operationById(id).path)];

/** Browser content: the documentation and the portal. */
const SITE = ['page/', 'portal/'];

export type ReleaseState = Described<'ReleaseStatus'>['release_state'];

const NOT_RECORDED = 'The gateway runs from source, without a build record.';

function toPart({ name, expected, found }: DifferingPart) {
  return { part: name, expected_sha256: expected, running_sha256: found };
}

/** Compares routes by name: equal counts can hide differences. */
function routeFacts({ served, described }: ReleaseCheck) {
  const missing = (from: readonly string[], other: readonly string[]): string[] => from.filter((line) => !other.includes(line));
  const runtimeTotal = pathsOf(served).size;
  const describedTotal = pathsOf(described).size;
  return {
    openapi_public_path_total: describedTotal,
    runtime_openapi_path_total: runtimeTotal,
    openapi_path_count_delta: runtimeTotal - describedTotal,
    openapi_path_count_match_state: runtimeTotal === describedTotal ? ('matched' as const) : ('mismatched' as const),
    routes_not_described: missing(served, described),
    routes_not_served: missing(described, served),
  };
}

function siteState({ record, differing }: ReleaseCheck): 'matched' | 'mismatched' | 'not_checked' {
  if (record === null) return 'not_checked';
  return differing.some(({ name }) => SITE.some((prefix) => name.startsWith(prefix))) ? 'mismatched' : 'matched';
}

/** Null without a record. */
function recordedFacts({ record, parts }: ReleaseCheck) {
  const known = record !== null;
  return {
    public_expected_release_fingerprint: record?.release_fingerprint ?? null,
    release_recorded_at_utc: record?.recorded_at_utc ?? null,
    build_time_utc: record?.built_at_utc ?? null,
    docs_hash: known ? fingerprintOf(partsUnder(parts, 'document/')) : null,
  };
}

export function releaseStatus(check: ReleaseCheck): Omit<WithoutMeta<'ReleaseStatus'>, 'requires_api_key' | 'metered'> {
  const { record, differing, parts } = check;
  const routes = routeFacts(check);
  const drifted = differing.length > 0 || routes.routes_not_described.length > 0 || routes.routes_not_served.length > 0;
  const recorded = recordedFacts(check);
  const unknown = Object.entries(recorded).filter(([, value]) => value === null);
  const state: ReleaseState = drifted ? 'drifted' : record === null ? 'not_recorded' : 'ready';
  const documentHash = parts.get('interface/openapi.json');
  if (documentHash === undefined) throw new Error('release parts lack the OpenAPI document');
  return {
    api_version: 'v1',
    status: state,
    release_state: state,
    public_release_fingerprint: check.fingerprint,
    ...recorded,
    version_match_state: drifted ? 'drifted' : record === null ? 'not_checked' : 'current',
    version_drift_check_available: record !== null,
    version_drift_detected: drifted ? true : record === null ? null : false,
    release_contract_generated_at_utc: toUtc(check.checkedMs),
    static_site_artifact_version: pageVersion(parts),
    openapi_hash: documentHash,
    site_content_parity_state: siteState(check),
    ...routes,
    openapi_json_route: DOCUMENT_ROUTE,
    openapi_json_routes: DOCUMENT_ROUTES,
    customer_safe: true,
    release_evidence_available: record !== null,
    part_total: parts.size,
    differing_parts: differing.map(toPart),
    null_reasons: Object.fromEntries(unknown.map(([field]) => [field, NOT_RECORDED])),
    public_preview_route: operationById('getDemoRelease').path,
  };
}

export function releaseSentence(state: ReleaseState): string {
  switch (state) {
    case 'ready':
      return 'The running service matches its build: every part has its recorded hash, and the served routes are those described.';
    case 'drifted':
      return 'The running service differs from its build or its description. See differing_parts, routes_not_described and routes_not_served.';
    case 'not_recorded':
      return 'The served routes are those described. The gateway runs from source, so there is no build to compare with.';
  }
}
