import { scoreCandidates, decide, publish, type Dwell, sessionState } from '../decision/decide';
import { round6 } from '../numbers/round';
import type { CompositeRead, GapFlag, MarketRead, SessionState, StateName, ThresholdRead } from '../read';
import type { CompositeName } from '../names';
import { sourceSupportRatio } from '../sources/families';
import { gapFlags, gapSeconds } from '../sources/gaps';
import { calibrate, type Calibration, mapComposites, readThresholds, scaleByActivity } from '../composites/thresholds';
import { activityOf } from '../features/ranges';
import type { LabelInput, Observation } from './observe';
import type { PacketMemory } from '../reducer/labeler-state';
import { againstThresholds, readSignals, type CompositeSignals } from '../composites/composites';

export interface Assessment {
  readonly signals: CompositeSignals;
  readonly calibration: Calibration;
  readonly composites: Readonly<Record<CompositeName, CompositeRead>>;
  readonly scores: Readonly<Record<CompositeName, number>>;
  readonly thresholds: readonly ThresholdRead[];
  readonly supportRatio: number;
  readonly flags: readonly GapFlag[];
  readonly lostSeconds: number;
  readonly decision: MarketRead['decision'];
  readonly voteScore: number;
  readonly dwell: Dwell;
  readonly published: MarketRead['published'];
  readonly sessionState: SessionState | null;
}

export function assess(input: LabelInput, observed: Observation): Assessment {
  const { windowEndMs, memory, numbers } = input;
  const signals = readSignals(observed.entries, observed, numbers);
  const calibration = calibrate(memory.calibration, memory.session.length, () => sessionScores(memory), windowEndMs, numbers);
  const activity = activityOf(observed.ranges);
  const pairs = scaleByActivity(calibration.pairs, activity, numbers);
  const composites = againstThresholds(signals, pairs, memory.held, numbers);
  const scores = mapComposites((name) => composites[name].score);
  const supportRatio = sourceSupportRatio(observed.sources);
  const decision = decideAt(input, observed, { composites, activity, supportRatio });
  const { dwell, published } = publish(memory.dwell, decision, windowEndMs, numbers);
  return {
    signals,
    calibration,
    composites,
    scores,
    thresholds: readThresholds(scores, pairs, numbers.calibration.near_ratio),
    supportRatio,
    flags: gapFlags({
      spans: input.spans,
      bookSilent: input.bookSilences.length > 0,
      contextStale: observed.sources.some((source) => source.family === 'asset_context' && source.reason === 'stale'),
      liquidationProxyOnly: observed.liquidationProxyOnly,
      reconnectTotal: input.reconnectTotal,
      lateTotal: input.lateTotal,
    }),
    lostSeconds: gapSeconds([...input.spans, ...input.bookSilences], windowEndMs, numbers.windows.quality_ms),
    decision,
    voteScore: voteShare(memory, decision.winner, numbers.windows.vote_packets),
    dwell,
    published,
    sessionState: sessionState(memory.sessionState, [...memory.history.last(numbers.session_state.packets - 1), published], numbers),
  };
}

function decideAt(
  { memory, numbers }: LabelInput,
  observed: Observation,
  { composites, activity, supportRatio }: Pick<Assessment, 'composites' | 'supportRatio'> & { readonly activity: number },
): MarketRead['decision'] {
  const earlier = memory.history.last(numbers.windows.crowding_mean_packets);
  return decide(
    scoreCandidates(
      {
        composites,
        pressureSide: composites.pressure.side,
        flowSide: composites.flow.side,
        imbalance5: observed.entries.book?.imbalances.top5 ?? 0,
        activity,
        crowding: composites.crowding.score,
        crowdingWatch: composites.crowding.watch,
        earlierCrowding: earlier.map((trace) => trace.scores.crowding),
        sourceSupportRatio: supportRatio,
        bookSeen: observed.entries.book !== null,
        bookStale: observed.bookStale,
      },
      numbers,
    ),
  );
}

/**
 * lineage_vote_score: share of the last 6 packets (including this one, or as many as exist) whose raw winner equals
 * this one's; 6 decimals. Source: ours, a plurality vote.
 */
function voteShare(memory: PacketMemory, winner: StateName, packets: number): number {
  const earlier = memory.history.last(packets - 1);
  return round6((1 + earlier.filter((trace) => trace.winner === winner).length) / (earlier.length + 1));
}

export function sessionScores(memory: PacketMemory): Readonly<Record<'pressure' | 'flow' | 'fragility', readonly number[]>> {
  const samples = [...memory.session];
  return {
    pressure: samples.map((sample) => sample.pressure),
    flow: samples.map((sample) => sample.flow),
    fragility: samples.map((sample) => sample.fragility),
  };
}
