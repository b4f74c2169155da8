import { lineageRow } from '../lineage/lineage-row';
import type { LoggedBrief } from '../logged-packet';
import { STAGE_PACKETS_MAX, type Stages } from './stages';

function spanOf(packets: readonly LoggedBrief[]) {
  return { first_window_end_utc: packets.at(0)?.packet.ts ?? null, last_window_end_utc: packets.at(-1)?.packet.ts ?? null };
}

function stage(packets: readonly LoggedBrief[], complete: boolean, sentence: string) {
  return { packet_total: packets.length, complete, ...spanOf(packets), sentence, rows: packets.map(lineageRow) };
}

function beforeSentence(total: number): string {
  if (total === 0) return 'No earlier packet is kept.';
  return total === STAGE_PACKETS_MAX ? `The ${total} packets before.` : `Only ${total} of ${STAGE_PACKETS_MAX} packets before it are kept.`;
}

function duringSentence({ during, cutAtStart, cutAtEnd, runsOn }: Stages): string {
  const total = during.length === 1 ? 'This packet alone has' : `${during.length} packets in a row have`;
  const sides = [...(cutAtStart ? ['before them'] : []), ...(cutAtEnd ? ['after them'] : [])].join(' and ');
  const further = sides === '' ? '' : ` The run continues ${sides}.`;
  return `${total} this published state and this event class.${further}${runsOn ? ' It reaches the newest packet and may continue.' : ''}`;
}

function afterSentence(total: number): string {
  if (total === STAGE_PACKETS_MAX) return `The ${total} packets after.`;
  return total === 0 ? 'No packet has followed yet.' : `${total} of ${STAGE_PACKETS_MAX} packets have followed so far.`;
}

/** The three stages with one line for each packet, and in words how complete they are. */
export function stageViews(stages: Stages) {
  const { before, during, after, runsOn } = stages;
  return {
    before: stage(before, before.length === STAGE_PACKETS_MAX, beforeSentence(before.length)),
    during: stage(during, !runsOn, duringSentence(stages)),
    after: stage(after, after.length === STAGE_PACKETS_MAX, afterSentence(after.length)),
  };
}
