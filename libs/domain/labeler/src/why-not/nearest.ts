import type { Side, StateName } from '../read';
import { isSigned, mayWin, UNITS, type Variation } from './with-composite';

/** Values of one side, in millionths of the signed score, both ends in. */
interface Piece {
  readonly side: Side;
  readonly from: number;
  readonly to: number;
}

/**
 * The value of a composite nearest to its own at which `state` is the raw winner, as a signed score in millionths; of two as near, the
 * larger. Null where there is none in its range: 0 to 1, for pressure and flow −1 to 1. Exact: whole spans of values are passed over only
 * where the state cannot win in them, and each that is left is decided by the rules themselves.
 */
export function nearestWin(variation: Variation, state: StateName): number | null {
  const { score, side } = variation.decided.standings[variation.composite];
  const own = Math.round(score * UNITS) * (isSigned(variation.composite) ? side : 1);
  const pieces = piecesOf(variation);
  const above = first(
    pieces.map((piece) => ({ ...piece, from: Math.max(piece.from, own + 1) })),
    (piece) => nearestIn(variation, state, piece, 1),
  );
  const below = first(pieces.map((piece) => ({ ...piece, to: Math.min(piece.to, own - 1) })).toReversed(), (piece) =>
    nearestIn(variation, state, piece, -1),
  );
  if (above === null || below === null) return above ?? below;
  return own - below < above - own ? below : above;
}

function piecesOf({ composite, decided }: Variation): readonly Piece[] {
  if (!isSigned(composite)) return [{ side: decided.standings[composite].side, from: 0, to: UNITS }];
  return [
    { side: -1, from: -UNITS, to: -1 },
    { side: 0, from: 0, to: 0 },
    { side: 1, from: 1, to: UNITS },
  ];
}

/** The lowest value of the piece at which the state wins, going up, or the highest, going down. */
function nearestIn(variation: Variation, state: StateName, { side, from, to }: Piece, direction: 1 | -1): number | null {
  if (from > to) return null;
  const [low, high] = from < 0 ? [-to, -from] : [from, to];
  if (!mayWin(variation, state, side, low, high)) return null;
  if (from === to) return from;
  const middle = Math.floor((from + to) / 2);
  const halves: readonly Piece[] = [
    { side, from, to: middle },
    { side, from: middle + 1, to },
  ];
  return first(direction === 1 ? halves : halves.toReversed(), (half) => nearestIn(variation, state, half, direction));
}

function first<T>(items: readonly T[], find: (item: T) => number | null): number | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}
