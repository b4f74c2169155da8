import { classifyEvent } from '../classify/event-class';
import { confidence } from '../classify/confidence';
import { contradiction } from '../classify/contradiction';
import { quality } from '../classify/quality';
import { severity } from '../classify/severity';
import { scoreCandidates } from '../decision/candidates';
import { decide } from '../decision/decide';
import { publish, type Dwell } from '../decision/publish';
import { readEntries } from '../features/features';
import { realizedVolatility } from '../features/price-features';
import type { PacketTrace } from '../lanes/packet-trace';
import { meanOf } from '../numbers/mean';
import { round6 } from '../numbers/round';
import type { Features, MarketRead, StateName, TrailRead } from '../read';
import { sourceSupportRatio } from '../sources/families';
import { gapFlags } from '../sources/gap-flags';
import { gapSeconds } from '../sources/gap-ledger';
import { calibrate, type Calibration } from '../thresholds/calibration';
import { readThresholds } from '../thresholds/crossings';
import type { LabelInput } from './label-input';
import type { PacketMemory, SessionSample } from './memory';
import { moveBetween, packetAt, returnBetween, type PricePoint } from './price-history';
import { againstThresholds, mapScores, readSignals } from './read-composites';
import { familySources } from './read-sources';

/** The read at T, and what of it later packets remember. */
export interface MarketReading {
  readonly market: MarketRead;
  readonly trace: PacketTrace;
  readonly calibration: Calibration;
  readonly dwell: Dwell;
  /** The 10 s return that ends at T, if it exists. */
  readonly newReturn: number | null;
  /** What this packet adds to the session; null without a fresh book. */
  readonly sample: SessionSample | null;
}

/**
 * Everything up to `quality`, in the order of evaluation: features; composites; thresholds; sources and gap flags; raw decision; vote;
 * published state; class and direction; severity; contradiction; confidence; quality. Nothing reads a later one.
 */
export function readMarket(input: LabelInput): MarketReading {
  const { windowEndMs, facts, windows, memory, numbers } = input;
  const { sources, liquidationProxyOnly } = familySources(input);
  const entries = readEntries(windows, windowEndMs, sessionBook(memory), sources, numbers);
  const { book } = entries;
  const bookStale = book !== null && book.freshnessMs > facts.bookStalenessMs;
  const point: PricePoint = { mid: book && book.mid, bookTsMs: book && book.tsMs, fresh: book !== null && !bookStale };
  const packets = numbers.windows;
  const newReturn = returnBetween(packetAt(memory.history, windowEndMs - packets.packet_interval_ms, 1), point, windows.cuts);
  const movedFrom = packetAt(memory.history, windowEndMs - packets.price_move_packets * packets.packet_interval_ms, packets.price_move_packets);
  const moveBps = moveBetween(movedFrom, point, windows.cuts);
  const returns = newReturn === null ? memory.returns.last(packets.session_return_total) : [...memory.returns, newReturn].slice(-packets.session_return_total);
  const volatility = {
    short: realizedVolatility(returns.slice(-packets.short_return_total), numbers.minimums.returns),
    session: realizedVolatility(returns, numbers.minimums.returns),
  };

  const signals = readSignals(entries, volatility, numbers);
  const calibration = calibrate(memory.calibration, memory.session.length, () => sessionScores(memory), windowEndMs, numbers);
  const composites = againstThresholds(signals, calibration.pairs);
  const scores = mapScores((name) => composites[name].score);
  const thresholds = readThresholds(scores, calibration.pairs, numbers.calibration.near_ratio);

  const supportRatio = sourceSupportRatio(sources);
  const flags = gapFlags({
    spans: input.spans,
    contextStale: sources.some((source) => source.family === 'asset_context' && source.reason === 'stale'),
    liquidationProxyOnly,
    reconnectTotal: input.reconnectTotal,
    lateTotal: input.lateTotal,
  });
  const lostSeconds = gapSeconds(input.spans, windowEndMs, packets.quality_ms);

  const candidates = scoreCandidates(
    {
      norms: mapScores((name) => composites[name].norm),
      pressureSide: composites.pressure.side,
      flowSide: composites.flow.side,
      flow: signals.flow.signed,
      earlierFlows: memory.history.last(packets.flow_mean_packets).map((trace) => trace.flow),
      crowding: scores.crowding,
      crowdingWatch: calibration.pairs.crowding.watch,
      earlierCrowding: memory.history.last(packets.crowding_mean_packets).map((trace) => trace.scores.crowding),
      sourceSupportRatio: supportRatio,
      bookSeen: book !== null,
      bookStale,
    },
    numbers,
  );
  const decision = decide(candidates);
  const voteScore = voteShare(memory, decision.winner, packets.vote_packets);
  const { dwell, published } = publish(memory.dwell, decision, windowEndMs, numbers);
  const features: Features = {
    ...entries.features,
    lineage_price_move_bps_abs: book && Math.abs(moveBps),
    lineage_vote_score: voteScore,
    source_resolved_family_total: sources.filter((source) => source.status === 'resolved').length,
  };
  const event = classifyEvent(
    { winner: decision.winner, composites, priceMoveBpsAbs: Math.abs(moveBps), spreadBps: book?.spreadBps ?? 0 },
    numbers,
  );
  const severityRead = severity(composites, numbers);
  const confidenceRead = confidence(
    {
      sourceSupportRatio: supportRatio,
      margin: decision.margin,
      sampleTotal: calibration.sampleTotal,
      freshnessMs: book && book.freshnessMs,
      bookStalenessMs: facts.bookStalenessMs,
    },
    numbers,
  );

  const market: MarketRead = {
    symbol: input.symbol,
    venue: facts.venue,
    sourceKind: facts.sourceKind,
    windowEndMs,
    mid: book && round6(book.mid),
    bestBid: book && book.bestBid,
    bestAsk: book && book.bestAsk,
    features,
    imbalances: { top1: book && book.imbalances.top1, top3: book && book.imbalances.top3, top5: book && book.imbalances.top5 },
    tradeImbalance: entries.trades && (entries.trades.imbalance ?? 0),
    priceMoveBps: moveBps,
    notAvailable: entries.notAvailable,
    composites,
    thresholds,
    calibration: { thresholdSource: calibration.source, live: calibration.source === 'policy_default', sampleTotal: calibration.sampleTotal },
    realizedVolShort: volatility.short,
    realizedVolSession: volatility.session,
    oiChange1h: entries.context && entries.context.openInterestChange,
    sources,
    sourceSupportRatio: supportRatio,
    gapFlags: flags,
    gaps: input.spans.map((span) => ({
      gapId: span.gapId,
      channel: span.channel ?? 'all',
      startMs: span.startMs,
      endMs: span.endMs === 0 ? windowEndMs : span.endMs,
      reason: span.reason,
    })),
    gapSeconds: lostSeconds,
    lateEventTotal: input.lateTotalEver,
    windowEventTotals: input.applied,
    decision,
    published,
    ...event,
    severity: severityRead,
    contradiction: contradiction(composites, supportRatio, numbers),
    confidence: confidenceRead,
    quality: quality(supportRatio, lostSeconds, numbers),
    trail: trailOf(memory, numbers.windows.trailing_packets),
  };
  return {
    market,
    calibration,
    dwell,
    newReturn,
    sample:
      book === null || bookStale
        ? null
        : { pressure: scores.pressure, flow: scores.flow, fragility: scores.fragility, depth: book.depth, spreadBps: book.spreadBps },
    trace: {
      windowEndMs,
      winner: decision.winner,
      state: published.state,
      ...point,
      pressure: signals.pressure.signed,
      flow: signals.flow.signed,
      scores,
      spreadBps: book && book.spreadBps,
      severity: severityRead.score,
      confidence: confidenceRead.score,
      volatilityShort: volatility.short,
      volatilitySession: volatility.session,
    },
  };
}

/** Share of the last 6 packets (this one in, or as many as exist) whose raw winner equals this one's, above 0 to 1. */
function voteShare(memory: PacketMemory, winner: StateName, packets: number): number {
  const earlier = memory.history.last(packets - 1);
  return round6((1 + earlier.filter((trace) => trace.winner === winner).length) / (earlier.length + 1));
}

function sessionBook(memory: PacketMemory): { readonly depths: readonly number[]; readonly spreads: readonly number[] } {
  const samples = [...memory.session];
  return { depths: samples.map((sample) => sample.depth), spreads: samples.map((sample) => sample.spreadBps) };
}

function sessionScores(memory: PacketMemory): Readonly<Record<'pressure' | 'flow' | 'fragility', readonly number[]>> {
  const samples = [...memory.session];
  return {
    pressure: samples.map((sample) => sample.pressure),
    flow: samples.map((sample) => sample.flow),
    fragility: samples.map((sample) => sample.fragility),
  };
}

function trailOf(memory: PacketMemory, packets: number): TrailRead {
  const last = memory.history.newest();
  const trailing = memory.history.last(packets);
  return {
    previousState: last?.state ?? null,
    previousWinner: last?.winner ?? null,
    previousEventClass: memory.previous?.eventClass ?? null,
    previousEventProfile: memory.previous?.eventProfile ?? null,
    previousComposites: last?.scores ?? null,
    trailingComposites:
      trailing.length === 0
        ? null
        : mapScores((name) =>
            meanOf(
              trailing.map((trace) => trace.scores[name]),
              0,
            ),
          ),
    previousSeverity: memory.previous?.severity ?? null,
    previousTags: memory.previous?.tags ?? null,
    previousMid: last === undefined || last.mid === null ? null : round6(last.mid),
  };
}
