import { novelty } from '../classify/packet-scores';
import { diagnosisClass, transitionType } from '../classify/event-class';
import { eventLineageLane, shortWindowLane, laneInstant, sessionLane } from '../lanes/current-lanes';
import { marketFacts } from '../packet/market-facts';
import { packetIdentity, type HexDigest } from '../lineage/digests';
import type { FactSet } from '../policy/fact';
import type { Policy } from '../policy/policy';
import { countedTags, deriveTags } from '../policy/rules';
import type { PacketRead } from '../read';
import type { Chain } from '../reducer/labeler-state';
import type { LabelInput } from './label-input';
import { moveBetween } from './price-history';
import { readMarket, type MarketReading } from './read-market';
import { historyBlocks, historyLane } from '../lanes/history-lane';
import type { PolicyNumbers } from '../policy/numbers';
import type { PacketMemory } from './memory';

interface LabelPlace {
  readonly afterCut: boolean;
  readonly policy: Policy;
  readonly inputDigest: HexDigest;
  readonly chain: Readonly<Chain>;
}

export interface Label {
  readonly read: PacketRead;
  readonly facts: FactSet;
  readonly reading: MarketReading;
  readonly countedTags: readonly string[];
}

export function labelPacket(input: LabelInput, place: LabelPlace): Label {
  const { memory, numbers } = input;
  const { policy, chain, inputDigest } = place;
  const reading = readMarket(input);
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

/**
 * Lanes read at scheduled instants: session_regime at the last multiple of 60 s at or before T − 10 s,
 * historical_replay at the last multiple of 300 s at or before T − 60 s. Each is read once per instant, at its first
 * packet.
 */
export function scheduledLanes(
  memory: PacketMemory,
  windowEndMs: number,
  numbers: PolicyNumbers,
): Pick<PacketRead['lanes'], 'sessionRegime' | 'historicalReplay'> {
  const { lanes } = numbers;
  const sessionMs = laneInstant(windowEndMs, lanes.session_every_ms, lanes.session_lag_ms);
  if (memory.sessionLane.asOfMs !== sessionMs) {
    memory.sessionLane.asOfMs = sessionMs;
    memory.sessionLane.read = sessionLane([...memory.history], sessionMs, numbers);
  }
  const historyMs = laneInstant(windowEndMs, lanes.history_every_ms, lanes.history_lag_ms);
  if (memory.historyLane.asOfMs !== historyMs) {
    const blocks = historyBlocks([...memory.history], memory.historyLane.asOfMs, historyMs, lanes.history_every_ms);
    for (const block of blocks) memory.historyBlocks.push(block);
    memory.historyLane.asOfMs = historyMs;
    memory.historyLane.read = historyLane([...memory.historyBlocks], historyMs, numbers);
  }
  return { sessionRegime: memory.sessionLane.read, historicalReplay: memory.historyLane.read };
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
