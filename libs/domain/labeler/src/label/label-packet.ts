import { novelty } from '../classify/novelty';
import { diagnosisClass, transitionType } from '../classify/transition';
import { eventLineageLane, shortWindowLane } from '../lanes/current-lanes';
import { marketFacts } from '../packet/market-facts';
import { packetIdentity, type HexDigest } from '../lineage/digests';
import type { FactSet } from '../policy/fact';
import type { Policy } from '../policy/policy';
import { countedTags, deriveTags } from '../policy/tags';
import type { PacketRead } from '../read';
import type { Chain } from '../reducer/labeler-state';
import type { LabelInput } from './label-input';
import { moveBetween } from './price-history';
import { readMarket, type MarketReading } from './read-market';
import { scheduledLanes } from './scheduled-lanes';

/** What a packet needs besides the market: its place in the chain. */
export interface LabelPlace {
  /** A cut of all channels lies between the packet before and this one. */
  readonly afterCut: boolean;
  readonly policy: Policy;
  readonly inputDigest: HexDigest;
  readonly chain: Readonly<Chain>;
}

/** The whole read behind a packet, and what it leaves behind. */
export interface Label {
  readonly read: PacketRead;
  /** The market facts of the read; the packet adds to them. */
  readonly facts: FactSet;
  readonly reading: MarketReading;
  readonly countedTags: readonly string[];
}

/** Reads the market at T, then what stands on it: tags, novelty, transition type, diagnosis, lanes and ids. */
export function labelPacket(input: LabelInput, place: LabelPlace): Label {
  const { memory, numbers } = input;
  const { policy, chain, inputDigest } = place;
  const reading = readMarket(input);
  const { market } = reading;
  const facts = marketFacts(market, policy);
  const tags = deriveTags(facts, policy);
  const counted = countedTags(tags, policy);
  const identity = packetIdentity(input.symbol, input.windowEndMs, policy.digest, inputDigest, chain.lineageDigest);
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
