import fc from 'fast-check';
import { SMALL_RUNS } from '../../tests/properties/cases';
import { FROZEN_NUMBERS } from '../../tests/policy-texts';
import type { Side } from '../read';
import { COMPOSITES, type CompositeName } from '../names';
import { defaultCalibration, heldMemories, holdComposites, NOTHING_HELD_BEFORE, type HeldMemories, type HeldRead } from './thresholds';

const { pairs } = defaultCalibration(FROZEN_NUMBERS, 0);
const LEAVE = FROZEN_NUMBERS.calibration.leave_ratio;

interface Step {
  readonly signed: number;
  readonly side?: Side;
  readonly available?: boolean;
}

/** Held state of one composite after each step of its signed score. */
function follow(name: CompositeName, steps: readonly Step[]): readonly HeldRead[] {
  let before: HeldMemories = NOTHING_HELD_BEFORE;
  return steps.map(({ signed, side = Math.sign(signed) as Side, available = true }) => {
    const signals = Object.fromEntries(
      COMPOSITES.map((other) => [
        other,
        other === name ? { score: Math.abs(signed), side, available } : { score: 0, side: 0, available: true },
      ]),
    ) as Record<CompositeName, { score: number; side: Side; available: boolean }>;
    const reads = holdComposites(signals, pairs, before, LEAVE);
    before = heldMemories(
      Object.fromEntries(COMPOSITES.map((other) => [other, { ...reads[other], side: signals[other].side }])) as Record<
        CompositeName,
        HeldRead & { side: Side }
      >,
    );
    return reads[name];
  });
}

const packets = (name: CompositeName, steps: readonly Step[]) => follow(name, steps).map((read) => read.heldPackets);
const scores = (...values: readonly number[]): Step[] => values.map((signed) => ({ signed }));

describe('what is held: pressure, watch 0.16, leave 0.08', () => {
  test.each<[string, readonly Step[], readonly number[]]>([
    ['begins at watch, not under it', scores(0.159999, 0.16), [0, 1]],
    ['stays down to leave', scores(0.2, 0.1, 0.08, 0.079999), [1, 2, 3, 0]],
    ['does not begin again over leave alone', scores(0.2, 0.05, 0.1, 0.15, 0.16), [1, 0, 0, 0, 1]],
    ['does not stay on the other side', scores(0.2, -0.1, -0.16), [1, 0, 1]],
    ['starts over where it reaches watch on the other side', scores(0.2, 0.2, -0.3, -0.1), [1, 2, 1, 2]],
    ['is not what cannot be read', [{ signed: 0.3 }, { signed: 0.3, available: false }, { signed: 0.1 }], [1, 0, 0]],
  ])('%s', (_name, steps, expected) => {
    expect(packets('pressure', steps)).toEqual(expected);
  });

  test('leave is half of the watch in force, to 6 decimals', () => {
    expect(follow('pressure', scores(0.2))[0]).toEqual({ held: true, leaveAt: 0.08, heldPackets: 1 });
    const other = { ...pairs, pressure: { watch: 0.123457, elevated: 0.3 } };
    const signals = Object.fromEntries(COMPOSITES.map((name) => [name, { score: 0, side: 0, available: true }])) as Parameters<
      typeof holdComposites
    >[0];
    // 0.0617285 is a tie that lies a little under it as a double
    expect(holdComposites(signals, other, NOTHING_HELD_BEFORE, LEAVE).pressure.leaveAt).toBe(0.061728);
  });

  test('forced flow has a side of its own, which may be 0; the others without a side never change it', () => {
    expect(
      packets('forced_flow', [
        { signed: 0.2, side: -1 },
        { signed: 0.15, side: 0 },
        { signed: 0.2, side: 0 },
        { signed: 0.1, side: 0 },
      ]),
    ).toEqual([1, 0, 1, 2]);
    expect(
      packets('crowding', [
        { signed: 0.4, side: 0 },
        { signed: 0.2, side: 0 },
      ]),
    ).toEqual([1, 2]);
  });
});

test('on any series: never held under leave, never started under watch, between them exactly if held before on the same side', () => {
  const step = fc.record({
    signed: fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -0.3, max: 0.3, noNaN: true })),
    available: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.constantFrom(...COMPOSITES), fc.array(step, { minLength: 1, maxLength: 60 }), (name, steps) => {
      const { watch } = pairs[name];
      let before: { readonly held: boolean; readonly side: number; readonly packets: number } = { held: false, side: 0, packets: 0 };
      follow(name, steps).forEach((read, i) => {
        const { signed, available } = steps[i] ?? { signed: 0, available: false };
        const [score, side] = [Math.abs(signed), Math.sign(signed)];
        const heldBefore = before.held && before.side === side;
        const expected = available && (score >= watch || (score >= read.leaveAt && heldBefore));
        expect(read.held).toBe(expected);
        expect(read.heldPackets).toBe(!expected ? 0 : heldBefore ? before.packets + 1 : 1);
        before = { held: read.held, side, packets: read.heldPackets };
      });
    }),
    SMALL_RUNS,
  );
});
