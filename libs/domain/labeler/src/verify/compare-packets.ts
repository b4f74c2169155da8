import type { PacketResult } from '../label/label-packet';
import type { RetainedPacket } from './symbol-source';
import { lineageDigest } from '../lineage';
import type { Chain } from '../reducer/labeler-state';

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

interface BodyDifference {
  readonly first: readonly PlaceDifference[];
  readonly total: number;
  /** Further differences that only contain the packet's own id. */
  readonly ownIdTotal: number;
}

const BODY_DIFFERENCES_MAX = 12;

/** Differing row fields, digests first. `body_digest` is computed from the stored body. */
function rowDifferences(retained: RetainedPacket, rederived: PacketResult): readonly FieldDifference[] {
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
function compareBodies(retainedBody: string, rederived: PacketResult, retainedPacketId: string): BodyDifference {
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

export type PacketDifference =
  | {
      readonly kind: 'different';
      readonly windowEndMs: number;
      readonly packetId: string;
      readonly fields: readonly FieldDifference[];
      readonly body: BodyDifference;
    }
  /** Re-derived but not retained. */
  | { readonly kind: 'missing'; readonly windowEndMs: number; readonly packetId: string }
  /** Retained, but the log yields no packet for its window. */
  | { readonly kind: 'extra'; readonly windowEndMs: number; readonly packetId: string };

export interface PacketCount {
  readonly compared: number;
  readonly equal: number;
  /** Each is re-derived from the retained previous packet, so that one difference does not propagate. */
  readonly different: number;
  readonly missing: number;
  readonly extra: number;
  /** Re-derived windows after the newest retained packet. */
  readonly ahead: number;
  /** Retained before the first window of the log read. */
  readonly beforeEntries: number;
  /** Retained after the last window of the log read; their entries are pending. */
  readonly awaiting: number;
  /** Retained under another policy than the given one: not compared. */
  readonly otherPolicy: number;
  readonly first: PacketDifference | null;
}

export class PacketTally {
  private readonly totals = {
    compared: 0,
    equal: 0,
    different: 0,
    missing: 0,
    extra: 0,
    ahead: 0,
    beforeEntries: 0,
    awaiting: 0,
    otherPolicy: 0,
  };
  private first: PacketDifference | null = null;
  private missed: PacketResult[] = [];
  private anyRederived = false;
  private next: RetainedPacket | undefined;

  /**
   * @param fromCheckpoint the log continues where packets were already retained
   * @param newestRetainedMs window end of the newest retained packet: a missing one up to it is not pending
   */
  constructor(
    private readonly packets: AsyncIterator<RetainedPacket>,
    private readonly onRetained: (packet: RetainedPacket) => Promise<void>,
    private readonly fromCheckpoint: boolean,
    private readonly newestRetainedMs: number,
  ) {}

  async start(): Promise<void> {
    await this.advance();
  }

  /** If another packet is retained in this position, the chain continues from that. */
  async take(made: PacketResult, chain: Chain): Promise<void> {
    for (; this.next !== undefined && this.next.windowEndMs < made.windowEndMs; await this.advance()) this.countExtra(this.next);
    this.anyRederived = true;
    if (this.next?.windowEndMs !== made.windowEndMs) {
      this.missed.push(made);
      return;
    }
    this.settleMissed();
    for (; this.next?.windowEndMs === made.windowEndMs; await this.advance()) await this.compare(this.next, made, chain);
  }

  async finish(): Promise<PacketCount> {
    for (; this.next !== undefined; await this.advance()) this.totals.awaiting++;
    this.totals.ahead = this.missed.filter(({ windowEndMs }) => windowEndMs > this.newestRetainedMs).length;
    this.missed = this.missed.filter(({ windowEndMs }) => windowEndMs <= this.newestRetainedMs);
    this.settleMissed();
    return { ...this.totals, first: this.first };
  }

  private async advance(): Promise<void> {
    const result = await this.packets.next();
    this.next = result.done === true ? undefined : result.value;
    if (this.next !== undefined) await this.onRetained(this.next);
  }

  /** Skipped packets are missing as soon as a later one is retained. */
  private settleMissed(): void {
    for (const { windowEndMs, packetId } of this.missed) {
      this.totals.missing++;
      this.first ??= { kind: 'missing', windowEndMs, packetId };
    }
    this.missed = [];
  }

  private countExtra({ windowEndMs, packetId }: RetainedPacket): void {
    if (!this.anyRederived && !this.fromCheckpoint) {
      this.totals.beforeEntries++;
      return;
    }
    this.settleMissed();
    this.totals.extra++;
    this.first ??= { kind: 'extra', windowEndMs, packetId };
  }

  private async compare(retained: RetainedPacket, made: PacketResult, chain: Chain): Promise<void> {
    if (retained.policyDigest !== made.policyDigest) {
      this.totals.otherPolicy++;
      return;
    }
    this.totals.compared++;
    const fields = rowDifferences(retained, made);
    if (fields.length === 0) {
      this.totals.equal++;
      return;
    }
    this.totals.different++;
    this.first ??= {
      kind: 'different',
      windowEndMs: made.windowEndMs,
      packetId: retained.packetId,
      fields,
      body: compareBodies(await retained.readBody(), made, retained.packetId),
    };
    const linked = lineageDigest(made.previousLineageDigest, retained.packetDigest) === retained.lineageDigest;
    if (!linked || retained.packetDigest === made.packetDigest) return;
    chain.lineageDigest = retained.lineageDigest;
    chain.packetId = retained.packetId;
  }
}
