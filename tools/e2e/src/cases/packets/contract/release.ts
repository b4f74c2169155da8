import { z } from 'zod';
import { accessFlags } from './envelope';
import { fields, filled, integer, route, text, utc } from './types';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The release status object. Times that a build from source has no record of are null. */
export const releaseStatus = fields({
  api_version: z.literal('v1'),
  status: text,
  public_release_fingerprint: sha256,
  public_expected_release_fingerprint: sha256,
  version_match_state: z.literal('current'),
  version_drift_check_available: z.literal(true),
  version_drift_detected: z.literal(false),
  release_state: z.literal('ready'),
  release_recorded_at_utc: utc.nullable(),
  build_time_utc: utc.nullable(),
  release_contract_generated_at_utc: utc.nullable(),
  static_site_artifact_version: text.nullable(),
  openapi_hash: sha256,
  docs_hash: sha256,
  site_content_parity_state: text,
  openapi_public_path_total: integer.positive(),
  runtime_openapi_path_total: integer.positive(),
  openapi_path_count_delta: z.literal(0),
  openapi_path_count_match_state: text,
  openapi_json_route: route,
  openapi_json_routes: filled(route),
  customer_safe: z.literal(true),
  release_evidence_available: z.boolean(),
  ...accessFlags,
  public_preview_route: route,
});
