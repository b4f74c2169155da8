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
  counterevidenceOf,
  type PreviewPacket,
} from '@market-state/packet-views';
import type { Packet } from '@market-state/labeler';
import { readRecord } from '../../../clients/packets/read-packet';
import { definitions } from '../../../serving/meta/meta';
import { type WithoutMeta, openApiDocument, type Schema, type Described } from '../../../serving/openapi/document';
import { operationById } from '../../../serving/openapi/operations';
import { previewLinks, type LinkName, routePaths } from './preview-links';
import { curlCommand } from '../../../serving/answers/curl-command';
import type { LiveLink } from '../../../serving/answers/live-links';

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

const WINDOW_MS = definitions.numbers.windows.packet_interval_ms;

type MeasuredClaims = Described<'MeasuredClaims'>;

function measuredClaims(entries: readonly TapeEntry[]): MeasuredClaims {
  const [first] = entries;
  const last = entries.at(-1);
  const expected = first === undefined || last === undefined ? 0 : (last.windowEndMs - first.windowEndMs) / WINDOW_MS + 1;
  const verified = entries.filter((entry) => entry.verified).length;
  const resolved = entries.filter(
    ({ packet: { source_resolution: resolution, state_diagnosis: diagnosis } }) =>
      resolution.missing_families.length === 0 && diagnosis.source_support.partial_families.length === 0,
  ).length;
  const flagged = entries.filter(({ packet }) => packet.packet_quality.gap_flags.length > 0).length;
  const total = entries.length;
  const span = `${first?.packet.scope.window_start_utc ?? ''} to ${last?.packet.ts ?? ''}`;
  const claim = (claim_id: string, statement: string, value: number, of: number) => ({
    claim_id,
    statement,
    value,
    of,
    measured_over: span,
  });
  return {
    included_for_preview: [
      claim('packet_coverage', `${total} of ${expected} expected packets (one every ten seconds) are on the tape.`, total, expected),
      claim(
        'chain_verified',
        `${verified} of ${total} packets match their stored digests and link to the previous packet in the chain.`,
        verified,
        total,
      ),
      claim(
        'all_sources_resolved',
        `${resolved} of ${total} packets had every source family; the others list the missing ones.`,
        resolved,
        total,
      ),
      claim('gap_flagged', `${flagged} of ${total} packets have a gap flag.`, flagged, total),
    ],
    requires_later_sla: [
      {
        claim_id: 'availability',
        statement: 'Availability is not guaranteed here; it requires an agreement with the operator of this installation.',
      },
      {
        claim_id: 'latency',
        statement:
          'The delay between a window and its packet depends on the machine and the venue. Every latest ' +
          'response reports it; no value is guaranteed here.',
      },
      {
        claim_id: 'source_completeness',
        statement: 'Data that a venue does not send is not available. Every gap is reported; the absence of gaps is not guaranteed.',
      },
    ],
  };
}

interface ConstructionFacts {
  readonly packet: Packet;
  readonly shown: PreviewPacket;
  readonly features: ReturnType<typeof featureViews>;
  readonly composites: ReturnType<typeof compositeViews>;
  readonly schema: readonly { readonly field: string; readonly purpose: string }[];
  readonly claims: MeasuredClaims;
  readonly baseUrl: string;
}

type Shown = Described<'ConstructionStep'>;

interface Step extends Pick<Shown, 'construction_step_id' | 'title' | 'buyer_question' | 'buyer_answer' | 'packet_view' | 'proof_points'> {
  readonly links: readonly LinkName[];
}

const CHANNEL_WORDS: Readonly<Record<string, string>> = {
  book: 'book updates',
  trades: 'trades',
  context: 'funding and open interest updates',
  liquidations: 'liquidations',
};

/** `a, b and c`. */
const LIST = new Intl.ListFormat('en-GB');

function familyNames(families: readonly string[]): string {
  return LIST.format(families.map((family) => definitions.label('source_families', family)));
}

function inputStep({ packet }: ConstructionFacts): Step {
  const input = packetInput(packet, definitions);
  const counted = Object.entries(input.window_event_totals).filter(([, total]) => total !== null);
  const missing = input.input_classes_missing;
  return {
    construction_step_id: 'packet_input',
    title: 'Input',
    buyer_question: 'What is a packet made from?',
    buyer_answer:
      `From ${input.window_event_total} stored events in a ${input.window_seconds} s window of ${input.symbol} on ` +
      `${input.venue}, and from earlier events. Nothing later is used.`,
    packet_view: input,
    proof_points: [
      `Window: exchange time after ${input.window_start_utc}, up to ${input.window_end_utc}.`,
      `Events: ${LIST.format(counted.map(([channel, total]) => `${String(total)} ${CHANNEL_WORDS[channel] ?? channel}`))}.`,
      missing.length === 0
        ? 'All source families are present.'
        : `Missing: ${familyNames(missing)}. Values that depend on them are null, never 0.`,
    ],
    links: ['rows', 'joinSpec', 'freshness', 'gaps'],
  };
}

function featureStep({ features, composites }: ConstructionFacts): Step {
  const observed = features.filter(({ value }) => value !== null).length;
  const absent = features.length - observed;
  return {
    construction_step_id: 'derive_features',
    title: 'Derived features',
    buyer_question: 'Which numbers are computed from the events?',
    buyer_answer:
      `${features.length} features and ${composites.length} composite scores, each by a published formula. ` +
      `${
        absent === 0
          ? 'All features have a value in this packet.'
          : `${observed} features have a value in this packet; ${absent} have none, because the source does not send the data they need.`
      }`,
    packet_view: {
      feature_total: features.length,
      feature_with_value_total: observed,
      composites: composites.map(({ composite, label, score, norm, side, level, formula }) => ({
        composite,
        label,
        score,
        norm,
        side,
        level,
        formula,
      })),
    },
    proof_points: composites.map(({ sentence }) => sentence),
    links: ['evidence', 'featureQuality', 'policy'],
  };
}

function labelStep({ packet }: ConstructionFacts): Step {
  const decision = labelDecision(packet, definitions);
  const label = (state: string): string => definitions.label('states', state);
  const candidates = packet.state_decision_trace.candidate_states.length;
  const against = counterevidenceOf(packet);
  const claims = packet.reason_details.map(({ claim }) => claim);
  return {
    construction_step_id: 'label_reason_confidence',
    title: 'Label, reasons, confidence',
    buyer_question: 'How is it labeled, and with what confidence?',
    buyer_answer:
      `Of ${candidates} candidate states, ${label(decision.winner_state)} scored highest at ${decision.winner_score}, ` +
      `${decision.state_margin} above ${label(decision.runner_up_state)}. The published state is ${decision.published_state_label}, with confidence ` +
      `${packet.confidence.score} (${packet.confidence.label}).`,
    packet_view: {
      ...decision,
      confidence: packet.confidence.score,
      confidence_label: packet.confidence.label,
      reasons: claims.slice(0, 3),
      counterevidence: against.slice(0, 3),
    },
    proof_points: [...claims.slice(0, 2), `Counterevidence: ${against[0] ?? ''}`, decision.publication_meaning],
    links: ['evidence', 'workbench', 'taxonomy', 'policy'],
  };
}

function schemaStep({ schema, shown }: ConstructionFacts): Step {
  const shownTotal = schema.filter(({ field }) => field in shown).length;
  return {
    construction_step_id: 'packet_schema',
    title: 'Output',
    buyer_question: 'What does a packet contain?',
    buyer_answer:
      `${schema.length} top-level fields, each described in the OpenAPI document. This sample shows ${shownTotal} of ` +
      `them; the full packet requires a key.`,
    packet_view: {
      packet_type: 'market_state.v1',
      field_total: schema.length,
      shown_field_total: shownTotal,
      shown_fields: schema.filter(({ field }) => field in shown).map(({ field }) => field),
    },
    proof_points: [
      'Fields never change meaning within market_state.v1; new fields may be added.',
      `Labels come from rules, not from a model: model_assisted is ${String(shown.model_assisted)}.`,
    ],
    links: ['document', 'taxonomy', 'lanes', 'latest'],
  };
}

function boundaryStep({ claims, packet }: ConstructionFacts): Step {
  return {
    construction_step_id: 'measurement_boundary',
    title: 'Measured and not claimed',
    buyer_question: 'Where do the claims end?',
    buyer_answer:
      `${claims.included_for_preview.length} numbers here are measured over the packets on the tape. ` +
      `${claims.requires_later_sla.length} properties are not guaranteed. A packet is context: not a signal, advice, an order or a ` +
      `performance claim.`,
    packet_view: {
      measured: claims.included_for_preview,
      not_promised: claims.requires_later_sla,
      blocked_uses: packet.automation_readiness.blocked_uses,
      claim_boundary: packet.claim_boundary,
    },
    proof_points: [...claims.included_for_preview, ...claims.requires_later_sla].map(({ statement }) => statement),
    links: ['browser', 'verify', 'replay'],
  };
}

function calls(links: readonly LiveLink[], baseUrl: string) {
  return links.map(({ route, method, purpose, requires_api_key, metered }) => {
    const url = `${baseUrl}${route}`;
    const command = requires_api_key ? curlCommand(url) : `curl -sS --fail-with-body${method === 'GET' ? '' : ` -X ${method}`} '${url}'`;
    return { purpose, method, url, requires_api_key, metered, command };
  });
}

function integrationStep({ packet, baseUrl }: ConstructionFacts): Step {
  const links: readonly LinkName[] = ['construction', 'sandboxKey', 'latest'];
  return {
    construction_step_id: 'sdk_first_integration',
    title: 'First call from your code',
    buyer_question: 'How do I read packets?',
    buyer_answer:
      'With one HTTP call. Run the commands below in order, after setting the key from the second one as ' +
      'MARKET_STATE_API_KEY. That key needs no sign-up and reads data delayed by 600 s.',
    packet_view: {
      key_header: 'x-market-state-api-key',
      key_variable: 'MARKET_STATE_API_KEY',
      calls: calls(previewLinks({ symbol: packet.symbol, eventId: packet.event_id }, links), baseUrl),
    },
    proof_points: [
      'Every response reports its data source and age in meta.',
      'Every charged call has a receipt, and any call can be quoted first.',
    ],
    links: ['construction', 'latest', 'packetStream', 'document'],
  };
}

const STEPS = [inputStep, featureStep, labelStep, schemaStep, boundaryStep, integrationStep] as const;

const CONSTRUCTION_STEP_TOTAL = STEPS.length;

function constructionSteps(facts: ConstructionFacts, runId: string, generatedAtUtc: string): Shown[] {
  const subject = { symbol: facts.packet.symbol, eventId: facts.packet.event_id };
  return STEPS.map((step, index) => {
    const { links, ...reported } = step(facts);
    return {
      ...reported,
      row_id: `${runId}_${index + 1}`,
      row_order: index + 1,
      row_type: 'public_packet_construction_step',
      run_id: runId,
      route_paths: routePaths(previewLinks(subject, links)),
      generated_at_utc: generatedAtUtc,
    };
  });
}

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
  const versions = {
    calibration_version: packet.calibration_version,
    confidence_policy_version: packet.confidence_policy_version,
    labeling_policy_version: packet.labeling_policy_version,
    reason_template_version: packet.reason_template_version,
    taxonomy_version: packet.taxonomy_version,
    compute_lane_policy_version: packet.compute_lane_policy_version,
    diagnosis_version: packet.diagnosis_version,
    trace_version: packet.trace_version,
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
