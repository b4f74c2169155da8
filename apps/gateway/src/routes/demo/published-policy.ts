import type { labeling } from '@market-state/contracts';
import { failedPrecondition, isServiceError, type ServiceError } from '@market-state/errors';
import { loadPolicy, type Policy } from '@market-state/labeler';
import type { Upstreams } from '../../clients/upstreams';
import { servedSymbols } from '../../clients/market-data-client';
import { ownMeta } from '../../serving/answers/account-answer';
import { fixedJson, jsonRepresentation, type Representation } from '../../serving/http/representation';
import { type Meta, toUtc, parseInstant } from '../../serving/meta/meta';
import type { Call, CallContext } from '../../serving/answers/handler';
import { findNewestPacket, type PacketClient } from '../../clients/packet-client';
import { type WithoutMeta, documentedWord } from '../../serving/openapi/document';

const laneVersion = documentedWord('ComputeLanes', 'compute_lane_policy_version');
const taxonomyVersion = documentedWord('StateTaxonomy', 'taxonomy_version');

type PartOfPolicy<Name extends 'LabelingPolicy' | 'ComputeLanes' | 'StateTaxonomy'> = Omit<WithoutMeta<Name>, 'as_of_utc'>;

/** Instructions for recomputing the policy digest from the files. */
const DIGEST_RULE = 'SHA-256 of the RFC 8785 JSON of one object that maps each file name to its content, as in files.';

function identity({ digest, versions }: Policy) {
  return { policy_digest: digest, policy_versions: versions };
}

export function labelingPolicy(): PartOfPolicy<'LabelingPolicy'> {
  const policy = loadPolicy();
  return { ...identity(policy), digest_rule: DIGEST_RULE, file_total: Object.keys(policy.files).length, files: { ...policy.files } };
}

export function computeLanes(): PartOfPolicy<'ComputeLanes'> {
  const policy = loadPolicy();
  const { lanes, producer_lane: producerLane } = policy.files.lanes;
  return {
    ...identity(policy),
    compute_lane_policy_version: laneVersion(policy.versions.compute_lane_policy_version),
    packet_producer_lane: producerLane,
    lane_total: lanes.length,
    lanes: lanes.map((lane) => ({
      lane_id: lane.lane_id,
      horizon: lane.horizon,
      latency_budget_ms: lane.latency_budget_ms,
      blocking_latest_route: lane.blocking_latest_route,
      staleness_policy: lane.staleness_policy,
    })),
    lane_numbers: policy.numbers.lanes,
    policy_file: policy.files.lanes,
  };
}

/** Start of a meaning that refers to the rule before it. */
const SAME = 'The same';

/** A tag's meaning from its rule, or from the taxonomy term that it copies. */
function tagMeanings({ files, taxonomy, facts }: Policy): ReadonlyMap<string, string> {
  const meanings = new Map<string, string>();
  for (const group of files.tags.groups) {
    const { family, horizon } = group;
    const kind = 'value_of' in group ? facts.find(({ name }) => name === group.value_of)?.taxonomy : undefined;
    const words = [...(kind === undefined ? [] : (taxonomy.kinds.get(kind)?.values() ?? []))];
    let spelledOut = '';
    for (const { value, meaning } of [...('values' in group ? group.values : []), ...words]) {
      const tag = [family, value, ...(horizon === undefined ? [] : [horizon])].join(':');
      const leansOnBefore = meaning.startsWith(SAME);
      if (!leansOnBefore) spelledOut = `${tag}: ${meaning}`;
      meanings.set(tag, leansOnBefore ? `${meaning} (As ${spelledOut})` : meaning);
    }
  }
  return meanings;
}

/** The complete taxonomy, and every possible tag with its binding. */
export function stateTaxonomy(): PartOfPolicy<'StateTaxonomy'> {
  const policy = loadPolicy();
  const { taxonomy, tags, files, versions } = policy;
  const meanings = tagMeanings(policy);
  const published = [...tags.possible].map((tag) => {
    const [family = '', value = '', horizon] = tag.split(':');
    return {
      tag,
      family,
      value,
      horizon: horizon ?? null,
      binding: taxonomy.term('tag_families', family).binding ?? null,
      meaning: meanings.get(tag) ?? '',
    };
  });
  return {
    ...identity(policy),
    taxonomy_version: taxonomyVersion(versions.taxonomy_version),
    kind_total: taxonomy.kinds.size,
    term_total: [...taxonomy.kinds.values()].reduce((sum, terms) => sum + terms.size, 0),
    taxonomy: files.taxonomy,
    tag_total: published.length,
    tags: published,
  };
}

/** Precision of a policy's start time: the interval between packets. */
const PRECISION_MS = 10_000;

/** Null if there was none. */
async function packetKnownAt(client: PacketClient, symbols: readonly string[], asOfMs: number): Promise<labeling.PacketRecord | null> {
  for (const symbol of symbols) {
    try {
      const packet = await findNewestPacket(client, symbol, asOfMs);
      if (packet !== null) return packet;
    } catch (error) {
      if (!isServiceError(error, 'unknown_symbol')) throw error;
    }
  }
  return null;
}

/** Bisects for the first instant at which packets name the policy. */
async function inForceFrom(
  client: PacketClient,
  symbols: readonly string[],
  digest: string,
  beforeMs: number,
  nowMs: number,
): Promise<number> {
  let [outMs, inMs] = [beforeMs, nowMs];
  while (inMs - outMs > PRECISION_MS) {
    const middleMs = Math.floor((outMs + inMs) / 2);
    if ((await packetKnownAt(client, symbols, middleMs))?.policyDigest === digest) inMs = middleMs;
    else outMs = middleMs;
  }
  return inMs;
}

function notPublished(sentence: string, oldestMs: number): ServiceError {
  return failedPrecondition('beyond_retention', sentence, { metadata: { oldest_ms: String(oldestMs) } });
}

/**
 * A release publishes only its own policy.
 * @throws ServiceError `beyond_retention` with the oldest valid instant
 */
async function refuseOtherPolicy(
  client: PacketClient,
  symbols: readonly string[],
  digest: string,
  asOfMs: number,
  nowMs: number,
): Promise<void> {
  const packet = await packetKnownAt(client, symbols, asOfMs);
  if (packet?.policyDigest === digest) return;
  const oldestMs = await inForceFrom(client, symbols, digest, asOfMs, nowMs);
  if (packet === null) throw notPublished(`No packet was known at ${toUtc(asOfMs)}, so no retained policy was in force.`, oldestMs);
  throw notPublished(
    `Packets known at ${toUtc(asOfMs)} use policy ${packet.policyDigest}; this release publishes a different one.`,
    oldestMs,
  );
}

const SENTENCE = 'The policy of this release, exactly as in its files.';

interface PublishedPolicyDeps {
  readonly upstreams: Pick<Upstreams, 'marketData' | 'packets'>;
  readonly now: () => number;
}

/** Fields added to every part of the policy. */
interface Published {
  readonly as_of_utc: string;
  readonly meta: Meta;
}

/** Without `as_of`, rendered once, as of process start. */
export function getPublishedPolicy<T extends object>(make: () => T, { upstreams, now }: PublishedPolicyDeps) {
  const readMs = now();
  let kept: Representation<T & Published> | undefined;
  const body = (call: CallContext, asOfMs: number): T & Published => ({
    as_of_utc: toUtc(asOfMs),
    ...make(),
    meta: ownMeta(call, SENTENCE, true),
  });
  return async (call: Call<'getLabelingPolicy' | 'getStateTaxonomy' | 'getComputeLanes'>): Promise<Representation<T & Published>> => {
    const requestedAtMs = parseInstant(call.input.query.as_of);
    if (requestedAtMs === null) return (kept ??= fixedJson(body(call, readMs)));
    const asOfMs = Math.min(requestedAtMs, now());
    const symbols = (await servedSymbols(upstreams.marketData)).map(({ symbol }) => symbol);
    await refuseOtherPolicy(upstreams.packets, symbols, loadPolicy().digest, asOfMs, now());
    return jsonRepresentation(body(call, asOfMs));
  };
}
