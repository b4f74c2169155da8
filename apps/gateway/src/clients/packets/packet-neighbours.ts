import type { labeling } from '@market-state/contracts';
import type { LoggedBrief, PacketBrief } from '@market-state/packet-views';
import type { PacketClient } from '../packet-client';

/** How many packets on each side of a packet are wanted. */
export interface Reach {
  readonly before: number;
  readonly after: number;
}

/** A packet's place in its symbol's log, and the instant as of which its neighbours are read (0: now). */
export interface Place {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly asOfMs: number;
}

function toLogged({ windowEndMs, sequence, brief }: labeling.PacketBrief): LoggedBrief {
  return { windowEndMs, sequence, packet: JSON.parse(brief.toString('utf8')) as PacketBrief };
}

/** The packets on each side of a packet, oldest first; fewer where there are no more. */
export async function readNeighbours(
  { call }: PacketClient,
  place: Place,
  reach: Reach,
): Promise<{ readonly before: LoggedBrief[]; readonly after: LoggedBrief[] }> {
  const { before, after } = await call.listNeighbours({ ...place, ...reach });
  return { before: before.map(toLogged), after: after.map(toLogged) };
}
