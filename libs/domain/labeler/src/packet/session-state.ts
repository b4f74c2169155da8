import type { MarketRead, StateName } from '../read';

/** Most frequent published state of the last 90 packets. Shares are 0 to 1. */
export interface PacketSessionState {
  readonly state: StateName;
  readonly share: number;
  readonly packet_total: number;
  readonly age_packets: number;
  /** Most frequent other state; null, like its share, if no other was published. */
  readonly runner_up: StateName | null;
  readonly runner_up_share: number | null;
}

export function packetSessionState({ sessionState }: MarketRead): PacketSessionState | null {
  return (
    sessionState && {
      state: sessionState.state,
      share: sessionState.share,
      packet_total: sessionState.packetTotal,
      age_packets: sessionState.agePackets,
      runner_up: sessionState.runnerUp,
      runner_up_share: sessionState.runnerUpShare,
    }
  );
}
