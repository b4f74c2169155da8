import { compileTagGroups, compileTexts, factTable, type CompiledTexts, type TagRule } from './rules';
import type { LaneEntry, PolicyContent } from './content';
import type { Report } from './fault';
import type { Taxonomy } from './taxonomy';
import type { LabelOf } from './template';

/** Compute lane whose tag rules and claims read only its own facts. */
export interface CompiledLane {
  readonly entry: LaneEntry;
  readonly tags: readonly TagRule[];
  readonly claims: CompiledTexts;
}

const LANE_IDS: readonly string[] = ['hot_path', 'short_window', 'session_regime', 'historical_replay', 'event_lineage'];

export function compileLanes(content: PolicyContent, taxonomy: Taxonomy, labelOf: LabelOf, report: Report): readonly CompiledLane[] {
  const table = factTable(content.facts.facts, taxonomy, ['lane']);
  const { lanes } = content.lanes;
  for (const role of ['producer_lane', 'state_lane'] as const) {
    const laneId = content.lanes[role];
    if (!lanes.some((lane) => lane.lane_id === laneId)) report(`/${role}`, `("${laneId}") is not a lane`);
  }
  for (const laneId of LANE_IDS) if (!lanes.some((lane) => lane.lane_id === laneId)) report('/lanes', `lack "${laneId}"`);
  const checkNumberName = (path: string, name: string) => {
    if (table.declarations.get(`lane_${name}`)?.type !== 'number') report(path, `names an unknown number of a lane, "${name}"`);
  };
  return lanes.map((entry, i) => {
    const path = `/lanes/${i}`;
    if (!LANE_IDS.includes(entry.lane_id)) report(`${path}/lane_id`, `("${entry.lane_id}") is not a lane that the labeler computes`);
    if (lanes.findIndex((lane) => lane.lane_id === entry.lane_id) !== i) report(`${path}/lane_id`, `("${entry.lane_id}") appears twice`);
    for (const name of Object.keys(entry.left_out_without)) checkNumberName(`${path}/left_out_without/${name}`, name);
    entry.left_out_when_zero.forEach((name, j) => checkNumberName(`${path}/left_out_when_zero/${j}`, name));
    return {
      entry,
      tags: compileTagGroups(entry.tags, table, taxonomy, `${path}/tags`, report),
      claims: compileTexts(entry.claims, table, labelOf, `${path}/claims`, report),
    };
  });
}
