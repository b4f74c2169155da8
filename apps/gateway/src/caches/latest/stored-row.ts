import type { labeling } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import type { Packet } from '@market-state/labeler';
import { toUtc } from '../../serving/meta/instant';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Returns raw members of a JSON object without parsing it. Expects RFC 8785 (no whitespace) and unescaped names.
 * @throws ServiceError INTERNAL if it is not an object or a member is missing
 */
export function cutMembers<Name extends string>(json: Buffer, names: readonly Name[]): Readonly<Record<Name, Buffer>> {
  const wanted: ReadonlySet<string> = new Set(names);
  const found: Partial<Record<string, Buffer>> = {};
  let left = wanted.size;
  for (let at = 1; json[0] === OPEN_OBJECT && json[at] === QUOTE && left > 0; ) {
    const nameEnd = stringEnd(json, at);
    const name = json.toString('latin1', at + 1, nameEnd - 1);
    const end = json[nameEnd] === COLON ? valueEnd(json, nameEnd + 1) : json.length;
    // Unterminated object.
    if (end === json.length) break;
    if (wanted.has(name)) {
      found[name] = json.subarray(nameEnd + 1, end);
      left -= 1;
    }
    at = end + 1;
  }
  if (left > 0) throw internal({ detail: `JSON lacks ${names.filter((name) => found[name] === undefined).join(', ')}` });
  return found as Record<Name, Buffer>;
}

/** Offset after the string that starts at `from`. */
function stringEnd(json: Buffer, from: number): number {
  for (let at = from + 1; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return json.length;
}

/** Offset after the value that starts at `from`. */
function valueEnd(json: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = stringEnd(json, at) - 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (byte === COMMA && depth === 0) return at;
  }
  return json.length;
}

/** Packet fields that a row repeats for clients that do not parse the packet, in row order. */
export const ROW_FIELDS = [
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

/** JSON row assembled from the packet's own bytes. */
export interface StoredRow<Name extends keyof Packet> {
  member<N extends Name>(name: N): Packet[N];
  /** The row of `toRowWithoutPacket`, plus `fields`. */
  withFields(fields: object): Buffer;
  withPacket(): Buffer;
}

/** @param read members to parse for `member`. @throws ServiceError INTERNAL if the body is not a packet */
export function storedRow<Name extends keyof Packet = never>(record: labeling.PacketRecord, read: readonly Name[] = []): StoredRow<Name> {
  const { symbol, eventId, generatedTsMs, sourceLagMs, body } = record;
  const members = cutMembers<keyof Packet>(body, [...ROW_FIELDS, ...read]);
  const repeated = ROW_FIELDS.flatMap((name) => [Buffer.from(`,"${name}":`), members[name]]);
  const head = Buffer.from(`{"symbol":${JSON.stringify(symbol)},"event_id":${JSON.stringify(eventId)}`);
  const times = Buffer.from(`,"packet_generated_at_utc":"${toUtc(generatedTsMs)}","packet_source_lag_ms":${sourceLagMs}`);
  return {
    member: (name) => JSON.parse(members[name].toString('utf8')),
    withFields: (fields) => Buffer.concat([head, ...repeated, times, Buffer.from(`,${JSON.stringify(fields).slice(1)}`)]),
    withPacket: () => Buffer.concat([head, ...repeated, times, PACKET, body, END]),
  };
}

const [PACKET, END] = [Buffer.from(',"packet":'), Buffer.from('}')];
