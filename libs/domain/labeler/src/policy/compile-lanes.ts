import { checkGroup } from './compile-tags';
import type { LaneEntry, PolicyContent } from './content';
import { factTable } from './fact-table';
import type { Report } from './fault';
import { compileTagGroup, compileTexts, type CompiledTexts, type TagRule } from './rules';
import type { Taxonomy } from './taxonomy';
import type { LabelOf } from './template';

/** A compute lane with its own tag rules and claims, which read that lane's facts alone. */
export interface CompiledLane {
  readonly entry: LaneEntry;
  readonly tags: readonly TagRule[];
  readonly claims: CompiledTexts;
}

export function compileLanes(content: PolicyContent, taxonomy: Taxonomy, labelOf: LabelOf, report: Report): readonly CompiledLane[] {
  const table = factTable(content.facts.facts, taxonomy, ['lane']);
  const { lanes, producer_lane: producer } = content.lanes;
  if (!lanes.some((lane) => lane.lane_id === producer)) report('/producer_lane', `"${producer}" is not a lane`);
  return lanes.map((entry, i) => {
    const path = `/lanes/${i}`;
    if (lanes.findIndex((lane) => lane.lane_id === entry.lane_id) !== i) report(`${path}/lane_id`, `"${entry.lane_id}" stands twice`);
    entry.tags.forEach((group, j) => checkGroup(group, taxonomy, `${path}/tags/${j}`, report));
    return {
      entry,
      tags: entry.tags.map((group, j) => compileTagGroup(group, table, `${path}/tags/${j}`, report)),
      claims: compileTexts(entry.claims, table, labelOf, `${path}/claims`, report),
    };
  });
}
