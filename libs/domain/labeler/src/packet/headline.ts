import type { Packet } from './packet';

/** One sentence for the top of a screen. */
export function renderHeadline(packet: Packet): string {
  return packet.client_readout.headline;
}

/** One sentence on what to do with the packet: where to route it, what to look at. Never what to trade. */
export function renderNextStep(packet: Packet): string {
  return packet.client_readout.next_step;
}
