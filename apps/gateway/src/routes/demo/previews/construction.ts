import { createHash } from 'node:crypto';
import type { labeling } from '@market-state/contracts';
import {
  compositeViews,
  confidenceLineage,
  featureReads,
  featureViews,
  labelDecision,
  packetInput,
  previewPacketOf,
  SAMPLE_RULE,
  type TapeEntry,
} from '@market-state/packet-views';
import { readRecord } from '../../../clients/packets/read-packet';
import { definitions } from '../../../serving/meta/meta';
import { type WithoutMeta, openApiDocument, type Schema } from '../../../serving/openapi/document';
import { operationById } from '../../../serving/openapi/operations';
import { CONSTRUCTION_STEP_TOTAL, constructionSteps, measuredClaims } from './construction-steps';
import { previewLinks } from './preview-links';

const PREFIX = '#/components/schemas/';

function purposeOf(schema: Schema): string {
  const named = schema.$ref === undefined ? undefined : openApiDocument.components.schemas[schema.$ref.slice(PREFIX.length)];
  return String(schema['description'] ?? named?.['description'] ?? '');
}

/** Packet fields and their purpose, from the OpenAPI document. */
function packetSchema(): { readonly field: string; readonly purpose: string }[] {
  const properties = (openApiDocument.components.schemas['Packet']?.['properties'] ?? {}) as Record<string, Schema>;
  return Object.entries(properties).map(([field, schema]) => ({ field, purpose: purposeOf(schema) }));
}

/** Deterministic: the same packet always gets the same id. */
export function runIdOf(kind: string, eventId: string): string {
  return `run_${createHash('sha256').update(`${kind}\n${eventId}`).digest('hex').slice(0, 26)}`;
}

export interface ConstructionSource {
  readonly record: labeling.PacketRecord;
  readonly entries: readonly TapeEntry[];
  readonly baseUrl: string;
  readonly generatedAtUtc: string;
}

const RECEIPT_ROLES = [
  ['open_current_packet', 'latest'],
  ['inspect_evidence', 'evidence'],
  ['reopen_context', 'replay'],
  ['label_feedback', 'feedback'],
] as const;

type RestoredConstruction = Omit<
  WithoutMeta<'PacketConstruction'>,
  'status' | 'preview_scope' | 'symbol' | 'fresh_until_utc' | 'requires_api_key' | 'metered'
>;

/** Limited to the fields that a preview may show. */
export function construction({ record, entries, baseUrl, generatedAtUtc }: ConstructionSource): RestoredConstruction {
  const { packet } = readRecord(record).logged;
  const subject = { symbol: packet.symbol, eventId: packet.event_id };
  const shown = previewPacketOf(packet);
  const features = featureViews(packet, definitions);
  const claims = measuredClaims(entries);
  const schema = packetSchema();
  const runId = runIdOf('packet_construction', packet.event_id);
  const rows = constructionSteps(
    { packet, shown, features, composites: compositeViews(packet, definitions), schema, claims, baseUrl },
    runId,
    generatedAtUtc,
  );
  const input = packetInput(packet, definitions);
  const [evidence] = previewLinks(subject, ['evidence']);
  const {
    calibration_version,
    confidence_policy_version,
    labeling_policy_version,
    reason_template_version,
    taxonomy_version,
    compute_lane_policy_version,
    diagnosis_version,
    trace_version,
  } = packet;
  const versions = {
    calibration_version,
    confidence_policy_version,
    labeling_policy_version,
    reason_template_version,
    taxonomy_version,
    compute_lane_policy_version,
    diagnosis_version,
    trace_version,
  };
  return {
    run_id: runId,
    run_display_label: `${packet.symbol}, ${packet.state_label}, window to ${packet.ts}`,
    generated_at_utc: generatedAtUtc,
    public_preview_route: operationById('getPublicPacketConstruction').path,
    authenticated_route: operationById('getPacketConstruction').path,
    sample_rule: SAMPLE_RULE,
    row_total: CONSTRUCTION_STEP_TOTAL,
    rows,
    sample_packet: shown,
    packet_input: input,
    packet_input_to_label_trace: {
      trace_id: `trace_${runId.slice('run_'.length)}`,
      ...versions,
      trace_posture: 'Deterministic: the same events and the same policy produce the same label, with the same digest.',
      feature_reads: featureReads(packet, definitions, evidence?.route ?? null),
      label_decision: labelDecision(packet, definitions),
      packet_input: input,
      route_receipts: RECEIPT_ROLES.flatMap(([role, name]) =>
        previewLinks(subject, [name]).map(({ route, method, body, requires_api_key, metered }) => ({
          receipt_role: role,
          route,
          method,
          body,
          requires_api_key,
          metered,
        })),
      ),
      claim_boundary: packet.claim_boundary,
    },
    packet_schema: schema,
    derived_features: features,
    source_resolution: shown.source_resolution,
    confidence_lineage: confidenceLineage(packet, definitions),
    measured_claims: claims,
    ...versions,
  };
}
