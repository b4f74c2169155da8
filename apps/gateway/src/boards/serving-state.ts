import type { DataHealth } from '../clients/data-health';
import type { AvailabilityState, FreshnessState } from '../serving/meta/meta';

/** How packets reach this gateway: pushed, asked for one by one, or not at all. */
export type LabelingReach = 'stream' | 'unary' | 'unreachable';

export type PacketServingState =
  | 'fresh_packet'
  | 'stale_packet'
  | 'fresh_packet_labeling_stream_down'
  | 'retained_packet_labeling_unreachable'
  | 'partial_packets';

export interface ServingFacts {
  readonly reach: LabelingReach;
  readonly dataHealth: DataHealth;
  /** Every packet served is before its end of freshness. */
  readonly fresh: boolean;
  /** Symbols asked for that have no packet yet. */
  readonly missingSymbols: readonly string[];
}

export interface ServingRead {
  readonly servingState: PacketServingState;
  readonly freshness: FreshnessState;
  readonly availability: AvailabilityState;
  readonly statusText: string;
}

function servingState({ reach, fresh, missingSymbols }: ServingFacts): PacketServingState {
  if (reach === 'unreachable') return 'retained_packet_labeling_unreachable';
  if (missingSymbols.length > 0) return 'partial_packets';
  if (!fresh) return 'stale_packet';
  return reach === 'stream' ? 'fresh_packet' : 'fresh_packet_labeling_stream_down';
}

function packetSentence(state: PacketServingState, missingSymbols: readonly string[]): string {
  switch (state) {
    case 'fresh_packet':
      return 'The newest packet is fresh.';
    case 'stale_packet':
      return 'The newest packet is past its staleness limit; no newer one has been made.';
    case 'fresh_packet_labeling_stream_down':
      return 'The newest packet is fresh; packets are asked for one by one because their stream is down.';
    case 'retained_packet_labeling_unreachable':
      return 'The labeling service cannot be reached; this is the last packet retained from it.';
    case 'partial_packets':
      return `No packet has been made yet for ${missingSymbols.join(', ')}.`;
  }
}

function dataSentence({ reachable, down }: DataHealth): string {
  if (!reachable) return ' The data plane cannot be reached.';
  if (down.includes('feed')) return ' feed_unavailable: the market feed is down, so no newer packet can be made until it is back.';
  return down.length === 0 ? '' : ` Not working in the data plane: ${down.join(', ')}.`;
}

/** What is said of packets served under these facts. */
export function readServing(facts: ServingFacts): ServingRead {
  const state = servingState(facts);
  const whole =
    facts.reach === 'stream' && facts.missingSymbols.length === 0 && facts.dataHealth.reachable && facts.dataHealth.down.length === 0;
  return {
    servingState: state,
    freshness: facts.fresh ? 'fresh' : 'stale',
    availability: whole ? 'available' : 'partial',
    statusText: packetSentence(state, facts.missingSymbols) + dataSentence(facts.dataHealth),
  };
}
