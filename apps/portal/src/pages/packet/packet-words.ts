import { counted } from '@market-state/packet-figures';
import { COMPOSITE_NAMES, stateLabel } from '../../packets/words';
import type { Packet } from './packet-queries';

export function compositeTitle(composite: string): string {
  return COMPOSITE_NAMES.find(([name]) => name === composite)?.[1] ?? composite;
}

const SIDES: Readonly<Record<string, readonly [above: string, below: string]>> = { pressure: ['bid', 'ask'], flow: ['buy', 'sell'] };

/** A composite's signed score to six decimals: `0.25`, `0.160001 ask`. */
export function signedWords(composite: string, signed: number): string {
  const [above = '', below = ''] = SIDES[composite] ?? [];
  const side = signed > 0 ? above : signed < 0 ? below : '';
  return `${Math.abs(signed)}${side === '' ? '' : ` ${side}`}`;
}

/** Explains a published state that differs from the raw winner; empty if both are the same. */
export function publishedWords({
  state,
  state_decision_trace: { winner_state: winner, publication },
}: Pick<Packet, 'state' | 'state_decision_trace'>): string {
  if (state === winner || publication === undefined) return '';
  const { winner_streak: won, lost_streak: lost = 0, streak_required: required } = publication;
  const contest =
    state === 'market_state_watch'
      ? `its conditions have failed for ${counted(lost, 'packet')} in a row, and it ends after ${required}`
      : `${stateLabel(winner)} has won ${counted(won, 'packet')} in a row, and a winner takes over after ${required}`;
  return `The published state is ${stateLabel(state)}, although ${stateLabel(winner)} is the raw winner of this packet. It is held by dwell: ${contest}.`;
}

/** Composites below watch that only hysteresis keeps in force. */
export function heldWords({ state_decision_trace: { composites } }: Pick<Packet, 'state_decision_trace'>): readonly string[] {
  return COMPOSITE_NAMES.flatMap(([name, title]) => {
    const trace = composites?.[name];
    if (trace?.held !== true || trace.score === null || trace.score >= trace.watch) return [];
    const packets = counted(trace.held_packets ?? 0, 'packet');
    return [
      `${title} is held at ${trace.score}: below the ${trace.watch} watch threshold, still above the ${trace.leave_at} exit threshold. ` +
        `Held for ${packets} in a row.`,
    ];
  });
}

/** Decimals stay as they were received. */
export function rowWords(row: Readonly<Record<string, unknown>>): string {
  switch (row['kind']) {
    case 'trade':
      return `${String(row['aggressor_side'])} ${String(row['size'])} at ${String(row['price'])}`;
    case 'book':
      return `${levels(row['bids'])} bids from ${best(row['bids'])}, ${levels(row['asks'])} asks from ${best(row['asks'])}`;
    case 'liquidation':
      return `${String(row['position_side'])} position liquidated: ${String(row['size'])} at ${String(row['price'])}`;
    default:
      return Object.entries(row)
        .filter(([name, value]) => !ENVELOPE.has(name) && value !== null && value !== '')
        .map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value)}`)
        .join(', ');
  }
}

/** Fields of every row, which the table already shows. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...[
    'schema',
    'kind',
    'venue',
    'symbol',
    'pass',
    'venue_id',
    'exchange_ts_ms',
    'exchange_ts_is_receive_time',
    'received_ts_ms',
    'ordinal',
    'epoch',
  ],
]);

function levels(side: unknown): number {
  return Array.isArray(side) ? side.length : 0;
}

function best(side: unknown): string {
  const [level] = Array.isArray(side) ? (side as readonly unknown[]) : [];
  return Array.isArray(level) ? `${String(level[0])} × ${String(level[1])}` : 'none';
}
