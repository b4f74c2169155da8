import type { Definitions } from '../definitions/definitions';
import { transitionRows } from '../lineage/transition-rows';
import type { LoggedBrief, LoggedPacket } from '../logged-packet';
import { reasonsHeld } from './reasons-held';
import { runView } from './run-view';
import { stageViews } from './stage-views';
import { DURING_BEFORE_MAX, STAGE_PACKETS_MAX, stagesOf } from './stages';
import { whatChanged } from './what-changed';
import { whatWasMissing } from './what-was-missing';

const DURING_RULE =
  `The unbroken run of packets around the event with its published state and event class; at most ` +
  `${DURING_BEFORE_MAX} before it and ${STAGE_PACKETS_MAX} in all.`;

/** Before, during and after an event, as `stagesOf` takes them from the packets around it. @throws RangeError as `stagesOf` */
export function postmortemView(packets: readonly LoggedBrief[], event: LoggedPacket, definitions: Definitions) {
  const stages = stagesOf(packets, event.packet.event_id);
  const { before, during, after } = stages;
  const all = [...before, ...during, ...after];
  return {
    span: { firstMs: (all[0] ?? event).windowEndMs, lastMs: (all.at(-1) ?? event).windowEndMs },
    during_rule: DURING_RULE,
    complete: after.length === STAGE_PACKETS_MAX,
    run: runView(stages),
    stages: stageViews(stages),
    transitions: transitionRows(all),
    what_changed: whatChanged(stages, event, definitions),
    reasons_held: reasonsHeld(stages, event),
    what_was_missing: whatWasMissing(stages, definitions),
  };
}
