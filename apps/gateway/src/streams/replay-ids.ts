import { resumeIdOf, createPositionVector } from './position';
import { type Frame, renderedBytes, withId } from './frame';
import type { ReplayedSymbol } from './replayed-symbol';

/** Ids of the messages of a replay. */
export interface ReplayIds {
  /** Where the reader is; null before the first message. */
  current(): string | null;
  /** A message that was just taken, with its id. */
  bytesOf(symbol: ReplayedSymbol, frame: Frame): readonly Buffer[];
}

/** Of one symbol an id is the position in it, of several it holds the position in each. */
export function replayIds(symbols: readonly ReplayedSymbol[]): ReplayIds {
  const [only] = symbols;
  if (only !== undefined && symbols.length === 1)
    return { current: () => resumeIdOf(only.position()), bytesOf: (_symbol, frame) => renderedBytes(frame, only.position()) };
  const vector = createPositionVector(symbols.map((each) => [each.symbol, each.position()] as const));
  return {
    current: () => (symbols.every((each) => each.logPosition() === undefined) ? null : vector.id()),
    bytesOf: ({ symbol, position }, frame) => withId(vector.move(symbol, position()), frame),
  };
}
