import { counted } from '@market-state/packet-figures';
import { COMPOSITE_NAMES, stateLabel } from '../../packets/words';
import type { Packet } from './packet-queries';

/** The name of a composite, as tables head it. */
export function compositeTitle(composite: string): string {
  return COMPOSITE_NAMES.find(([name]) => name === composite)?.[1] ?? composite;
}

const SIDES: Readonly<Record<string, readonly [above: string, below: string]>> = { pressure: ['bid', 'ask'], flow: ['buy', 'sell'] };

/** A composite's signed score to its six decimals: `0.25`, `0.160001 ask`. */
export function signedWords(composite: string, signed: number): string {
  const [above = '', below = ''] = SIDES[composite] ?? [];
  const side = signed > 0 ? above : signed < 0 ? below : '';
  return `${Math.abs(signed)}${side === '' ? '' : ` ${side}`}`;
}

/** Why the published state is not the raw winner of this packet; empty where it is. */
export function publishedWords({
  state,
  state_decision_trace: { winner_state: winner, publication },
}: Pick<Packet, 'state' | 'state_decision_trace'>): string {
  if (state === winner || publication === undefined) return '';
  const { winner_streak: won, lost_streak: lost = 0, streak_required: required } = publication;
  const contest =
    state === 'market_state_watch'
      ? `it has lost ${counted(lost, 'packet')} in a row, and gives way at ${required}`
      : `${stateLabel(winner)} has won ${counted(won, 'packet')} in a row, and one and the same winner takes over at ${required}`;
  return `The published state is ${stateLabel(state)}, though ${stateLabel(winner)} is the raw winner of this packet. It is held by dwell: ${contest}.`;
}

/** Which composites are held under watch: what is open for no other reason. */
export function heldWords({ state_decision_trace: { composites } }: Pick<Packet, 'state_decision_trace'>): readonly string[] {
  return COMPOSITE_NAMES.flatMap(([name, title]) => {
    const trace = composites?.[name];
    if (trace?.held !== true || trace.score === null || trace.score >= trace.watch) return [];
    const packets = counted(trace.held_packets ?? 0, 'packet');
    return [
      `${title} is held at ${trace.score}, under watch (${trace.watch}): it was at watch before and leaves under ${trace.leave_at}. ` +
        `Held for ${packets} in a row.`,
    ];
  });
}
