import type { Packet } from '@market-state/labeler';

/** The state that the last 90 packets were in most often. */
export interface SessionState {
  readonly state: string;
  /** Of `packet_total`, 0..1. */
  readonly share: number;
  /** 30 to 90. */
  readonly packet_total: number;
  /** Packets since it was set, this one included. */
  readonly age_packets: number;
  /** Most frequent of the other states; null, as its share, where there is none. */
  readonly runner_up: string | null;
  readonly runner_up_share: number | null;
}

/** The session's state as the packet has it; null in the first packets of a chain, and in packets of the first edition, which have none. */
export function sessionStateOf(packet: Packet): SessionState | null {
  return (packet as Packet & { readonly session_state?: SessionState | null }).session_state ?? null;
}
