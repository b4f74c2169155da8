import type { labeling } from '@market-state/contracts';
import type { Packet } from '@market-state/labeler';
import { cutMembers } from '../serving/http/json-members';
import { toUtc } from '../serving/meta/utc';

/** Members of a packet that a row of it repeats, in the order of the row. */
const REPEATED = [
  'state',
  'event_class',
  'event_profile',
  'transition_type',
  'event_severity',
  'novelty_score',
  'contradiction_score',
  'source_quality_class',
  'packet_producer_lane',
  'packet_quality',
  'client_reason_summary',
  'route_guidance',
  'route_refs',
  'state_hierarchy',
] as const satisfies readonly (keyof Packet)[];

/** A row of a stored packet as JSON, made of the packet's own bytes. */
export interface StoredRow<Name extends keyof Packet> {
  /** What else was asked for of the packet. */
  member<N extends Name>(name: N): Packet[N];
  /** The row that `toRowWithoutPacket` gives, with more fields at its end. */
  withFields(fields: object): Buffer;
  /** The same with the packet at its end. */
  withPacket(): Buffer;
}

/** @param read further members of the packet that are to be read. @throws ServiceError INTERNAL when the body is not a packet */
export function storedRow<Name extends keyof Packet = never>(record: labeling.PacketRecord, read: readonly Name[] = []): StoredRow<Name> {
  const { symbol, eventId, generatedTsMs, sourceLagMs, body } = record;
  const members = cutMembers<keyof Packet>(body, [...REPEATED, ...read]);
  const repeated = REPEATED.flatMap((name) => [Buffer.from(`,"${name}":`), members[name]]);
  const head = Buffer.from(`{"symbol":${JSON.stringify(symbol)},"event_id":${JSON.stringify(eventId)}`);
  const times = Buffer.from(`,"packet_generated_at_utc":"${toUtc(generatedTsMs)}","packet_source_lag_ms":${sourceLagMs}`);
  return {
    member: (name) => JSON.parse(members[name].toString('utf8')),
    withFields: (fields) => Buffer.concat([head, ...repeated, times, Buffer.from(`,${JSON.stringify(fields).slice(1)}`)]),
    withPacket: () => Buffer.concat([head, ...repeated, times, PACKET, body, END]),
  };
}

const [PACKET, END] = [Buffer.from(',"packet":'), Buffer.from('}')];
