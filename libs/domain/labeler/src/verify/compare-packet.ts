import type { PacketResult } from '../label/label-packet';
import type { RetainedPacket } from './retained';

interface JsonDifference {
  /** JSON pointer (RFC 6901). */
  readonly path: string;
  readonly left: unknown;
  readonly right: unknown;
}

/** Innermost differences in name order; list items are compared by index. */
export function* jsonDifferences(left: unknown, right: unknown, path = ''): Generator<JsonDifference> {
  if (!isBranch(left) || !isBranch(right) || Array.isArray(left) !== Array.isArray(right)) {
    if (!Object.is(left, right)) yield { path, left, right };
    return;
  }
  const names = Array.isArray(left)
    ? Array.from({ length: Math.max(left.length, (right as readonly unknown[]).length) }, (_unused, index) => String(index))
    : [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  for (const name of names) yield* jsonDifferences(member(left, name), member(right, name), `${path}/${escaped(name)}`);
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function member(branch: object, name: string): unknown {
  return Object.hasOwn(branch, name) ? (branch as Readonly<Record<string, unknown>>)[name] : undefined;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

export interface FieldDifference {
  readonly field: string;
  readonly retained: string | number;
  readonly rederived: string | number;
}

interface PlaceDifference {
  /** JSON pointer (RFC 6901). */
  readonly path: string;
  readonly retained?: unknown;
  readonly rederived?: unknown;
}

export interface BodyDifference {
  readonly first: readonly PlaceDifference[];
  readonly total: number;
  /** Further differences that only contain the packet's own id. */
  readonly ownIdTotal: number;
}

const BODY_DIFFERENCES_MAX = 12;

/** Differing row fields, digests first. `body_digest` is computed from the stored body. */
export function rowDifferences(retained: RetainedPacket, rederived: PacketResult): readonly FieldDifference[] {
  const pairs: readonly (readonly [field: string, retained: string | number | null, rederived: string | number])[] = [
    ['packet_digest', retained.packetDigest, rederived.packetDigest],
    ['body_digest', retained.bodyDigest === retained.packetDigest ? null : retained.bodyDigest, rederived.packetDigest],
    ['lineage_digest', retained.lineageDigest, rederived.lineageDigest],
    ['input_digest', retained.inputDigest, rederived.inputDigest],
    ['previous_lineage_digest', retained.previousLineageDigest, rederived.previousLineageDigest],
    ['packet_id', retained.packetId, rederived.packetId],
    ['event_id', retained.eventId, rederived.eventId],
    ['closing_ordinal', retained.closingOrdinal, rederived.closingOrdinal],
    ['source_kind', retained.sourceKind, rederived.sourceKind],
    ['headline', retained.headline, rederived.headline],
    ['customer_next_step', retained.customerNextStep, rederived.customerNextStep],
  ];
  const differences: FieldDifference[] = [];
  for (const [field, kept, made] of pairs) {
    if (kept !== null && kept !== made) differences.push({ field, retained: kept, rederived: made });
  }
  return differences;
}

/** A retained body that is not JSON differs as a whole. */
export function compareBodies(retainedBody: string, rederived: PacketResult, retainedPacketId: string): BodyDifference {
  const own = identityOf(rederived.packetId);
  const kept = identityOf(retainedPacketId);
  const first: PlaceDifference[] = [];
  let total = 0;
  let ownIdTotal = 0;
  for (const { path, left, right } of jsonDifferences(parsed(retainedBody), JSON.parse(rederived.body))) {
    if (typeof right === 'string' && right.replaceAll(own, kept) === left) {
      ownIdTotal++;
      continue;
    }
    total++;
    if (first.length < BODY_DIFFERENCES_MAX) first.push({ path, retained: left, rederived: right });
  }
  return { first, total, ownIdTotal };
}

function identityOf(packetId: string): string {
  return packetId.slice('pkt_'.length);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
