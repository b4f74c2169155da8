import type { PacketResult } from '../src/index';

type Packet = PacketResult['packet'];

export interface Stability {
  readonly stateChangesPerHour: number;
  readonly classChangesPerHour: number;
  /** Median time in a published state, including the first and the last. */
  readonly medianDwellSeconds: number;
  /** Share of packets whose published state is not the raw winner. */
  readonly heldShare: number;
}

/** `packets`: one recording, oldest first, ten seconds apart. */
export function stabilityOf(packets: readonly Packet[]): Stability {
  const hours = (packets.length * 10) / 3_600;
  const dwells = runLengths(packets.map(({ state }) => state)).sort((a, b) => a - b);
  const middle = dwells.length / 2;
  const medianPackets = ((dwells[Math.ceil(middle) - 1] ?? 0) + (dwells[Math.floor(middle)] ?? 0)) / 2;
  return {
    stateChangesPerHour: (dwells.length - 1) / hours,
    classChangesPerHour: (runLengths(packets.map((packet) => packet.event_class)).length - 1) / hours,
    medianDwellSeconds: medianPackets * 10,
    heldShare: packets.filter((packet) => packet.state !== packet.state_decision_trace.winner_state).length / packets.length,
  };
}

function runLengths(values: readonly string[]): number[] {
  const lengths: number[] = [];
  values.forEach((value, index) => {
    if (value === values[index - 1]) lengths.push((lengths.pop() ?? 0) + 1);
    else lengths.push(1);
  });
  return lengths;
}
