import { loadPolicy, type Policy } from '@market-state/labeler';
import { type WithoutMeta, documentedWord } from '../../../serving/openapi/described';

const laneVersion = documentedWord('ComputeLanes', 'compute_lane_policy_version');
const taxonomyVersion = documentedWord('StateTaxonomy', 'taxonomy_version');

type PartOfPolicy<Name extends 'LabelingPolicy' | 'ComputeLanes' | 'StateTaxonomy'> = Omit<WithoutMeta<Name>, 'as_of_utc'>;

/** How a reader computes the digest of the policy from the files. */
const DIGEST_RULE = 'SHA-256 of the RFC 8785 JSON of one object that holds the content of each file under its name, as files does here.';

function identity({ digest, versions }: Policy) {
  return { policy_digest: digest, policy_versions: versions };
}

/** Every policy file, whole. */
export function labelingPolicy(): PartOfPolicy<'LabelingPolicy'> {
  const policy = loadPolicy();
  return { ...identity(policy), digest_rule: DIGEST_RULE, file_total: Object.keys(policy.files).length, files: { ...policy.files } };
}

/** The file of the lanes, whole, and the lanes in short. */
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

/** How a rule's meaning begins that leans on the one before it. */
const SAME = 'The same';

/** The meaning that a tag's rule gives it, or that of the word it takes over. */
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

/** The taxonomy, whole, and every tag that a packet can hold with what it is bound to. */
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
