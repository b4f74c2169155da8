import type { CompositeName, Packet } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';

/** Words for a side: where size rests or which way trades cross, never what to do. */
const SIDE_WORDS: Readonly<Record<string, string>> = {
  bid: ', to the bid side',
  ask: ', to the ask side',
  buy: ', to the buy side',
  sell: ', to the sell side',
  longs: ', mostly longs liquidated',
  shorts: ', mostly shorts liquidated',
  none: '',
};

const ABSENCE_WORDS: Readonly<Record<string, string>> = {
  not_reported_by_venue: 'this source does not report',
  never_seen: 'nothing was seen yet of',
};

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function unknown(packet: Packet, name: CompositeName, label: string, definitions: Definitions): string {
  const [family] = definitions.composites[name].families;
  const source = family === undefined ? undefined : packet.source_status[family];
  const absence = source?.status === 'missing' ? ABSENCE_WORDS[source.reason] : undefined;
  if (absence === undefined || family === undefined) return `${label} cannot be measured yet.`;
  return `${label} is not known: ${absence} ${definitions.label('source_families', family)}.`;
}

/** One sentence on a composite, with the packet's own numbers. */
export function scoreSentence(packet: Packet, name: CompositeName, definitions: Definitions): string {
  const label = capitalised(definitions.label('drivers', name));
  const { score, side, level, watch, elevated } = packet.state_decision_trace.composites[name];
  const reading = `${label} is ${score}${SIDE_WORDS[side] ?? ''}`;
  switch (level) {
    case 'no_source':
      return unknown(packet, name, label, definitions);
    case 'not_available':
      return `${label} cannot be measured yet: it needs ${definitions.numbers.minimums.returns} steps of mid from packet to packet.`;
    case 'not_current':
      return `${label} was ${score} in the retained context; nothing current can be read.`;
    case 'elevated':
      return `${reading}: elevated, at or over its threshold of ${elevated}.`;
    case 'watch':
      return `${reading}: on watch, at or over ${watch} and under its elevated threshold of ${elevated}.`;
    case 'near_watch':
      return `${reading}: just under its watch threshold of ${watch}.`;
    case 'below_watch':
      return `${reading}: quiet, under its watch threshold of ${watch}.`;
  }
}
