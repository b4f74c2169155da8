import type { Packet } from '../packet/packet';
import { moves, type Move } from './moves';

/** What a policy author looks at in a packet, by name. */
export const READ_FIELDS = {
  state: (packet: Packet) => packet.state,
  winner_state: (packet: Packet) => packet.state_diagnosis.winner_state,
  event_class: (packet: Packet) => packet.event_class,
  diagnosis_class: (packet: Packet) => packet.state_diagnosis.diagnosis_class,
  severity_class: (packet: Packet) => packet.event_severity.severity_class,
} as const satisfies Readonly<Record<string, (packet: Packet) => string>>;
export type ReadField = keyof typeof READ_FIELDS;

export interface FieldChange {
  readonly field: ReadField;
  readonly a: string;
  readonly b: string;
}

/** How one window reads under the two policies. */
export interface PacketChange {
  /** T, milliseconds since the epoch. */
  readonly windowEndMs: number;
  readonly fields: readonly FieldChange[];
  readonly tagsAdded: readonly string[];
  readonly tagsRemoved: readonly string[];
  /** The numbers that moved and bear on the fields that changed. */
  readonly because: readonly Move[];
}

/** The change from a to b; null where both read the same. */
export function packetChange(a: Packet, b: Packet): PacketChange | null {
  const fields: FieldChange[] = [];
  for (const field of Object.keys(READ_FIELDS) as ReadField[]) {
    const [was, is] = [READ_FIELDS[field](a), READ_FIELDS[field](b)];
    if (was !== is) fields.push({ field, a: was, b: is });
  }
  const tagsAdded = b.tags.filter((tag) => !a.tags.includes(tag));
  const tagsRemoved = a.tags.filter((tag) => !b.tags.includes(tag));
  if (fields.length + tagsAdded.length + tagsRemoved.length === 0) return null;
  return { windowEndMs: Date.parse(a.ts), fields, tagsAdded, tagsRemoved, because: moves(a, b) };
}
