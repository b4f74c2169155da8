import type { CompositeRead, Side } from '../src/read';
import { COMPOSITES, type CompositeName } from '../src/names';
import { norm } from '../src/composites/thresholds';
import { FROZEN_NUMBERS } from './policy-texts';

/** Composite read from a signed score under the frozen thresholds, held exactly at or above watch. */
export function compositeRead(name: CompositeName, signed: number, fields: Partial<CompositeRead> = {}): CompositeRead {
  const { watch, elevated } = FROZEN_NUMBERS.thresholds[name];
  const score = Math.abs(signed);
  const held = score >= watch;
  return {
    score,
    norm: norm(score, { watch, elevated }),
    side: Math.sign(signed) as Side,
    watch,
    elevated,
    held,
    leaveAt: watch / 2,
    heldPackets: held ? 1 : 0,
    available: true,
    terms: [],
    ...fields,
  };
}

/** All six from signed scores; unnamed ones are 0. */
export function compositeReads(
  scores: Partial<Record<CompositeName, number>>,
  fields: Partial<Record<CompositeName, Partial<CompositeRead>>> = {},
): Record<CompositeName, CompositeRead> {
  return Object.fromEntries(COMPOSITES.map((name) => [name, compositeRead(name, scores[name] ?? 0, fields[name])])) as Record<
    CompositeName,
    CompositeRead
  >;
}
