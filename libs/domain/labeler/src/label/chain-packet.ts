import type { SourceKind } from '@market-state/market-data';
import { canonicalJson } from '../lineage/canonical-json';
import { lineageDigest, sha256Hex, type HexDigest } from '../lineage/digests';
import { assemblePacket } from '../packet/assemble';
import type { Packet } from '../packet/packet';
import type { Policy } from '../policy/policy';
import { type Chain, addSample, type PacketMemory } from '../reducer/labeler-state';
import type { Label } from './label-packet';
import { heldMemories } from '../composites/thresholds';

function renderHeadline(packet: Packet): string {
  return packet.client_readout.headline;
}

function renderNextStep(packet: Packet): string {
  return packet.client_readout.next_step;
}

/** Digests are 64 lower-case hex characters. */
export interface PacketResult {
  readonly packet: Packet;
  /** The packet as RFC 8785 JSON. */
  readonly body: string;
  readonly packetDigest: HexDigest;
  readonly lineageDigest: HexDigest;
  readonly previousLineageDigest: HexDigest;
  readonly inputDigest: HexDigest;
  readonly policyDigest: HexDigest;
  readonly packetId: string;
  readonly eventId: string;
  readonly windowEndMs: number;
  /** Key of its market; the packet has its symbol. */
  readonly symbol: string;
  readonly sourceKind: SourceKind;
  /** Log ordinal of the tick that closed the window. */
  readonly closingOrdinal: number;
  readonly headline: string;
  readonly customerNextStep: string;
}

export function chainPacket(chain: Chain, memory: PacketMemory, label: Label, policy: Policy, closingOrdinal: number): PacketResult {
  const { read } = label;
  const packet = assemblePacket(read, policy, label.facts);
  const body = canonicalJson(packet);
  const packetDigest = sha256Hex(body);
  const previousLineageDigest = chain.lineageDigest;
  chain.lineageDigest = lineageDigest(previousLineageDigest, packetDigest);
  chain.packetId = read.lineage.packetId;
  remember(memory, label);
  return {
    packet,
    body,
    packetDigest,
    lineageDigest: chain.lineageDigest,
    previousLineageDigest,
    inputDigest: read.lineage.inputDigest,
    policyDigest: read.lineage.policyDigest,
    packetId: read.lineage.packetId,
    eventId: read.lineage.eventId,
    windowEndMs: read.windowEndMs,
    symbol: read.market,
    sourceKind: read.sourceKind,
    closingOrdinal,
    headline: renderHeadline(packet),
    customerNextStep: renderNextStep(packet),
  };
}

function remember(memory: PacketMemory, { read, reading, countedTags }: Label): void {
  memory.packetsMade++;
  memory.history.push(reading.trace);
  if (reading.sample !== null) addSample(memory, reading.sample);
  if (reading.observed.newReturn !== null) memory.returns.push(reading.observed.newReturn);
  memory.calibration = reading.assessed.calibration;
  memory.held = heldMemories(read.composites);
  memory.dwell = reading.assessed.dwell;
  memory.sessionState = read.sessionState && { state: read.sessionState.state, agePackets: read.sessionState.agePackets };
  memory.ranges = reading.observed.ranges;
  memory.nearDepth = reading.observed.nearDepth;
  memory.previous = {
    eventClass: read.eventClass,
    eventProfile: read.eventProfile,
    tags: read.tags,
    countedTags,
  };
  memory.noveltyTags.push(countedTags);
}
