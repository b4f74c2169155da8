import { Random } from './random';

const DRAWS = 20_000;

function draws(draw: (random: Random) => number): number[] {
  const random = new Random(42, 1);
  return Array.from({ length: DRAWS }, () => draw(random));
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

describe('random numbers', () => {
  test('a seed and a stream give one sequence each', () => {
    const firstOf = (seed: number, stream: number): number[] => {
      const random = new Random(seed, stream);
      return [random.uniform(), random.uniform(), random.uniform()];
    };
    expect(firstOf(1, 1)).toEqual(firstOf(1, 1));
    expect(firstOf(2, 1)).not.toEqual(firstOf(1, 1));
    expect(firstOf(1, 2)).not.toEqual(firstOf(1, 1));
  });

  test('uniform numbers fill [0, 1) evenly', () => {
    const values = draws((random) => random.uniform());
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThan(1);
    expect(mean(values)).toBeCloseTo(0.5, 1);
  });

  test('normal numbers have mean 0 and variance 1', () => {
    const values = draws((random) => random.normal());
    expect(Math.abs(mean(values))).toBeLessThan(0.03);
    expect(mean(values.map((value) => value * value))).toBeCloseTo(1, 1);
  });

  test('heavy-tailed numbers have mean 1, a median well under it, and no more than their bound', () => {
    const values = draws((random) => random.heavyTailed(30)).sort((a, b) => a - b);
    expect(mean(values)).toBeCloseTo(1, 1);
    expect(values[DRAWS / 2]).toBeLessThan(0.62);
    expect(values[DRAWS - 1]).toBeGreaterThan(8);
    expect(Math.max(...draws((random) => random.heavyTailed(2)))).toBe(2);
  });

  test('whole numbers take both ends', () => {
    expect(new Set(draws((random) => random.integer(3, 5)))).toEqual(new Set([3, 4, 5]));
  });
});
