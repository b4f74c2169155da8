import type { Facts } from '../policy/fact';
import type { Policy } from '../policy/policy';
import type { CompositeName, PacketRead, StateName } from '../read';
import { driverOf } from './market-facts';

export interface StateHierarchy {
  readonly top_level_state: StateName;
  readonly event_class: string;
  readonly event_profile: string;
  readonly driver: CompositeName | 'none';
  readonly side_context: {
    /** bid, ask or none. */
    readonly book_side: string;
    /** buy, sell or none. */
    readonly flow_side: string;
    /** same_side, opposite_sides or one_sided. */
    readonly book_and_flow: string;
  };
  readonly compute_horizon: string;
  readonly producer_lane: string;
}

export function stateHierarchy(read: PacketRead, facts: Facts, policy: Policy): StateHierarchy {
  const lane = policy.lanes.find(({ entry }) => entry.lane_id === policy.stateLane);
  return {
    top_level_state: read.published.state,
    event_class: read.eventClass,
    event_profile: read.eventProfile,
    driver: driverOf(read).name,
    side_context: {
      book_side: String(facts['pressure_side']),
      flow_side: String(facts['flow_side']),
      book_and_flow: String(facts['book_and_flow']),
    },
    compute_horizon: lane?.entry.horizon ?? '',
    producer_lane: policy.producerLane,
  };
}

interface TermBinding {
  readonly term: string;
  readonly label: string;
  readonly bound_to?: string;
}

export interface TaxonomyBindings {
  readonly taxonomy_version: string;
  readonly state: TermBinding;
  readonly event_class: TermBinding;
  readonly event_profile: TermBinding;
  readonly tag_families: Readonly<Record<string, string>>;
}

export function taxonomyBindings(read: PacketRead, policy: Policy): TaxonomyBindings {
  const families = [...new Set(read.tags.map((tag) => tag.slice(0, tag.indexOf(':'))))];
  return {
    taxonomy_version: policy.versions.taxonomy_version,
    state: binding('states', read.published.state, policy),
    event_class: binding('event_classes', read.eventClass, policy),
    event_profile: binding('event_profiles', read.eventProfile, policy),
    tag_families: Object.fromEntries(families.map((family) => [family, policy.taxonomy.term('tag_families', family).binding ?? ''])),
  };
}

function binding(kind: string, value: string, policy: Policy): TermBinding {
  const term = policy.taxonomy.term(kind, value);
  return {
    term: `${kind}/${value}`,
    label: term.label,
    ...(term.binding === undefined ? {} : { bound_to: term.binding }),
  };
}
