import { marketFields, type SourceKind, crockford, fromHex } from '@market-state/market-data';
import { novelty, confidence, contradiction, quality, severity } from '../decision/packet-scores';
import { diagnosisClass, transitionType, absorptionBound, classifyEvent } from '../decision/event-class';
import { eventLineageLane, shortWindowLane, knownMean, knownScore, type PacketTrace, scheduledLanes } from './lane-reads';
import { marketFacts } from '../packet/market-facts';
import { type HexDigest, lineageDigest, sha256Hex, canonicalJson } from '../lineage';
import type { FactSet } from '../policy/facts';
import type { Policy } from '../policy/policy';
import { countedTags, deriveTags } from '../policy/rules';
import { type PacketRead, SOURCE_STATES, type MarketRead, type TrailRead } from '../read';
import { type Chain, type PacketMemory, type SessionSample, addSample } from '../reducer/labeler-state';
import { type LabelInput, moveBetween, observe, type Observation } from './observe';
import { round6 } from '../numbers/round';
import { assess, type Assessment } from './assess';
import { mapComposites, heldMemories } from '../composites/thresholds';
import { assemblePacket, type Packet } from '../packet/packet';

interface LabelPlace {
  readonly afterCut: boolean;
  readonly policy: Policy;
  readonly inputDigest: HexDigest;
  readonly chain: Readonly<Chain>;
}

interface MarketReading {
  readonly market: MarketRead;
  readonly trace: PacketTrace;
  readonly sample: SessionSample | null;
  readonly observed: Observation;
  readonly assessed: Assessment;
}

/**
 * Evaluation order: features; composites; thresholds; sources and gap flags; raw decision; vote; published state;
 * session state; class and direction; severity; contradiction; confidence; quality. No step reads a
 * later one.
 */
function marketReadingOf(input: LabelInput): MarketReading {
  const observed = observe(input);
  const assessed = assess(input, observed);
  const market = marketRead(input, observed, assessed);
  return { market, trace: traceOf(market, observed, assessed), sample: sampleOf(observed, assessed), observed, assessed };
}

function marketRead(input: LabelInput, observed: Observation, assessed: Assessment): MarketRead {
  const { facts, numbers } = input;
  const { entries, sources } = observed;
  const moveBps = observed.moveBps ?? 0;
  const { book, trades } = entries;
  const { calibration, composites, decision, supportRatio } = assessed;
  const moveBpsAbs = Math.abs(moveBps);
  const absorptionBoundBps = book && absorptionBound(book.spreadBps, input.memory.previous?.eventClass, numbers);
  return {
    symbol: marketFields(input.market).symbol,
    market: input.market,
    venue: facts.venue,
    sourceKind: facts.sourceKind,
    windowEndMs: input.windowEndMs,
    mid: book && round6(book.mid),
    bestBid: book && book.bestBid,
    bestAsk: book && book.bestAsk,
    features: {
      ...entries.features,
      lineage_price_move_bps_abs: book && moveBpsAbs,
      lineage_vote_score: assessed.voteScore,
      source_resolved_family_total: sources.filter((source) => source.status === 'resolved').length,
    },
    imbalances: { top1: book && book.imbalances.top1, top3: book && book.imbalances.top3, top5: book && book.imbalances.top5 },
    tradeImbalance: trades && (trades.imbalance ?? 0),
    priceMoveBps: moveBps,
    priceMoveMeasured: observed.moveBps !== null,
    absorptionBoundBps,
    movementBps: entries.state.movementBps,
    ranges: observed.ranges,
    notAvailable: entries.notAvailable,
    composites,
    thresholds: assessed.thresholds,
    calibration: {
      thresholdSource: calibration.source,
      live: calibration.source === 'policy_default',
      sampleTotal: calibration.sampleTotal,
    },
    realizedVolShort: observed.volatility.short,
    realizedVolSession: observed.volatility.session,
    oiChange1h: entries.context && entries.context.openInterestChange,
    sources,
    sourceSupportRatio: supportRatio,
    gapFlags: assessed.flags,
    gaps: gapReads(input),
    gapSeconds: assessed.lostSeconds,
    lateEventTotal: input.lateTotalEver,
    windowEventTotals: input.applied,
    decision,
    published: assessed.published,
    sessionState: assessed.sessionState,
    ...classifyEvent({ winner: decision.winner, composites, priceMoveBpsAbs: moveBpsAbs, absorptionBoundBps }),
    severity: severity(
      {
        ranges: observed.ranges,
        nearDepth: observed.nearDepth,
        composites,
        sourceState: SOURCE_STATES.includes(decision.winner),
      },
      numbers,
    ),
    contradiction: contradiction(composites, supportRatio, numbers),
    confidence: confidence(
      {
        sourceSupportRatio: supportRatio,
        margin: decision.margin,
        sampleTotal: calibration.sampleTotal,
        freshnessMs: book && book.freshnessMs,
        bookStalenessMs: facts.bookStalenessMs,
        evidence: entries.state.evidence,
      },
      numbers,
    ),
    quality: quality(supportRatio, assessed.lostSeconds, numbers),
    trail: trailOf(input.memory, observed, numbers.windows.trailing_packets),
  };
}

function gapReads({ spans }: LabelInput): MarketRead['gaps'] {
  return spans.map(({ gapId, channel, startMs, endMs, reason }) => ({ gapId, channel: channel ?? 'all', startMs, endMs, reason }));
}

function traceOf(market: MarketRead, { point }: Observation, { signals, scores }: Assessment): PacketTrace {
  return {
    windowEndMs: market.windowEndMs,
    winner: market.decision.winner,
    state: market.published.state,
    ...point,
    pressure: signals.pressure.signed,
    flow: signals.flow.signed,
    scores,
    available: mapComposites((name) => signals[name].available),
    spreadBps: market.features.spread_bps,
    severity: market.severity.score,
    confidence: market.confidence.score,
    volatilityShort: market.realizedVolShort,
    volatilitySession: market.realizedVolSession,
  };
}

function sampleOf({ entries: { book }, bookStale }: Observation, { scores }: Assessment): SessionSample | null {
  if (book === null || bookStale) return null;
  return {
    pressure: scores.pressure,
    flow: scores.flow,
    fragility: scores.fragility,
    depth: book.depth,
    spreadBps: book.spreadBps,
  };
}

function trailOf(memory: PacketMemory, { newReturn }: Observation, packets: number): TrailRead {
  const last = memory.history.newest();
  const trailing = memory.history.last(packets);
  return {
    previousState: last?.state ?? null,
    previousWinner: last?.winner ?? null,
    previousEventClass: memory.previous?.eventClass ?? null,
    previousEventProfile: memory.previous?.eventProfile ?? null,
    previousComposites: last === undefined ? null : mapComposites((name) => knownScore(last, name)),
    trailingComposites: last === undefined ? null : mapComposites((name) => knownMean(trailing, (trace) => knownScore(trace, name))),
    previousSeverity: last?.severity ?? null,
    previousTags: memory.previous?.tags ?? null,
    previousMid: last === undefined || last.mid === null || newReturn === null ? null : round6(last.mid),
    previousPressure: last?.available.pressure === true ? last.pressure : null,
    previousFlow: last?.available.flow === true ? last.flow : null,
  };
}

interface Label {
  readonly read: PacketRead;
  readonly facts: FactSet;
  readonly reading: MarketReading;
  readonly countedTags: readonly string[];
}

export function labelPacket(input: LabelInput, place: LabelPlace): Label {
  const { memory, numbers } = input;
  const { policy, chain, inputDigest } = place;
  const reading = marketReadingOf(input);
  const { market } = reading;
  const facts = marketFacts(market, policy);
  const tags = deriveTags(facts, policy);
  const counted = countedTags(tags, policy);
  const identity = packetIdentity(input.market, input.windowEndMs, policy.digest, inputDigest, chain.lineageDigest);
  const read: PacketRead = {
    ...market,
    tags,
    novelty: novelty(counted, memory.noveltyTags),
    transitionType: transitionType(
      {
        packetsBefore: memory.packetsMade,
        afterCut: place.afterCut,
        stateChanged: market.published.changed,
        eventClass: market.eventClass,
        eventProfile: market.eventProfile,
        countedTags: counted,
        previous: memory.previous,
      },
      numbers,
    ),
    diagnosisClass: diagnosisClass(market.contradiction.score, market.decision, market.composites, numbers),
    lanes: lanesAt(input, reading),
    lineage: {
      packetId: `pkt_${identity}`,
      eventId: `evt_${identity}`,
      policyDigest: policy.digest,
      inputDigest,
      previousLineageDigest: chain.lineageDigest,
      previousPacketId: chain.packetId,
      packetsBefore: memory.packetsMade,
      windowEventTotal: input.applied.book + input.applied.trade + input.applied.context + input.applied.liquidation,
    },
  };
  return { read, facts, reading, countedTags: counted };
}

const ID_CHARACTERS = 26;

/**
 * 26-character suffix of a packet's ids: the first 130 bits, 5 per character from the highest, of the SHA-256 of the
 * RFC 8785 array [market, T, policy digest, input digest, previous lineage digest], in lower-case Crockford base32.
 */
export function packetIdentity(
  market: string,
  windowEndMs: number,
  policyDigest: HexDigest,
  inputDigest: HexDigest,
  previousLineageDigest: HexDigest,
): string {
  const text = canonicalJson([market, windowEndMs, policyDigest, inputDigest, previousLineageDigest]);
  return crockford(fromHex(sha256Hex(text)), ID_CHARACTERS);
}

function lanesAt(input: LabelInput, { trace }: MarketReading): PacketRead['lanes'] {
  const { memory, numbers, windows } = input;
  const recent = [...memory.history.last(Math.max(numbers.lanes.short_window_packets, numbers.lanes.event_packets) - 1), trace];
  const first = recent.slice(-numbers.lanes.short_window_packets)[0];
  return {
    shortWindow: shortWindowLane(recent, moveBetween(first, trace, windows.cuts) ?? 0, numbers),
    ...scheduledLanes(memory, input.windowEndMs, numbers),
    eventLineage: eventLineageLane(recent, numbers),
  };
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
    headline: packet.client_readout.headline,
    customerNextStep: packet.client_readout.next_step,
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
