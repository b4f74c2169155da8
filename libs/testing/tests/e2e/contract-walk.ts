/** Types as the contract's tables name them. */
export type FieldType =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'number'
  | 'object'
  | 'timestamp'
  | 'string or object'
  | 'array of string'
  | 'array of object'
  | 'object of string';

export type Table = Readonly<Record<string, FieldType>>;

export const latestResponse: Table = {
  schema_version: 'string',
  headline: 'string',
  customer_next_step: 'string',
  not_a_signal: 'boolean',
  packet_freshness: 'object',
  packet_serving_state: 'string',
  packet_ref_total: 'integer',
  packet_refs: 'array of object',
  recommended_next_routes: 'array of string',
  row_total: 'integer',
  rows: 'array of object',
  meta: 'object',
};

export const latestRow: Table = {
  symbol: 'string',
  event_id: 'string',
  state: 'string',
  event_class: 'string',
  event_profile: 'string',
  transition_type: 'string',
  event_severity: 'object',
  novelty_score: 'number',
  contradiction_score: 'number',
  source_quality_class: 'string',
  packet_generated_at_utc: 'timestamp',
  packet_producer_lane: 'string',
  packet_source_lag_ms: 'integer',
  packet_quality: 'object',
  client_reason_summary: 'object',
  route_guidance: 'object',
  route_refs: 'object of string',
  state_hierarchy: 'object',
  packet: 'object',
};

export const packet: Table = {
  packet_type: 'string',
  packet_id: 'string',
  symbol: 'string',
  state: 'string',
  state_age_packets: 'integer',
  state_persistence_seconds: 'number',
  transition_type: 'string',
  event_class: 'string',
  event_profile: 'string',
  market_read_direction: 'string',
  event_severity: 'object',
  novelty_score: 'number',
  contradiction_score: 'number',
  confidence: 'string or object',
  source_quality_class: 'string',
  packet_producer_lane: 'string',
  tags: 'array of string',
  reasons: 'array of string',
  workflow_routes: 'array of string',
  replay: 'object',
  route_guidance: 'object',
  route_refs: 'object of string',
  client_reason_summary: 'object',
  driver_strengths: 'object',
  packet_lineage_summary: 'object',
  packet_sophistication: 'object',
  state_hierarchy: 'object',
  taxonomy_bindings: 'object',
  automation_readiness: 'object',
  calibration_context: 'object',
  packet_quality: 'object',
  state_decision_trace: 'object',
  state_diagnosis: 'object',
  ts: 'timestamp',
  changed: 'object',
  reason_details: 'array of object',
  compute_lanes: 'array of object',
  source_status: 'object',
  scope: 'object',
  source_resolution: 'object',
  client_readout: 'object',
  lane_enrichment_boundary: 'object',
  calibration_version: 'string',
  confidence_policy_version: 'string',
  labeling_policy_version: 'string',
  reason_template_version: 'string',
  taxonomy_version: 'string',
  compute_lane_policy_version: 'string',
};

/** Sentences on the fields of a table that are missing or of another type; none when all are right. */
export function faultsOf(name: string, table: Table, value: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(table).flatMap(([field, type]) => {
    if (!(field in value)) return [`${name}.${field} is missing`];
    return isOfType(type, value[field]) ? [] : [`${name}.${field} is not ${type}: ${JSON.stringify(value[field])?.slice(0, 80)}`];
  });
}

function isOfType(type: FieldType, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string' && value !== '';
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'object':
      return isObject(value);
    case 'timestamp':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
    case 'string or object':
      return isOfType('string', value) || isObject(value);
    case 'array of string':
      return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
    case 'array of object':
      return Array.isArray(value) && value.length > 0 && value.every(isObject);
    case 'object of string':
      return isObject(value) && Object.values(value).every((item) => typeof item === 'string');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
