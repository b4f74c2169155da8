import { lightnessOf, linearOf, markImage, paletteDeclarations, SIDE_HUES, STATE_STYLES, stateStyle, stateWord } from './palette';

/** Linear RGB matrices of full colour vision deficiencies (Machado, Oliveira, Fernandes 2009, severity 1). */
const SIGHTS = {
  usual: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const;
type Sight = keyof typeof SIGHTS;

/** CIE L*a*b* of a hue as an eye sees it. */
function seen(hue: string, sight: Sight): readonly number[] {
  const from = linearOf(hue);
  const of = (row: number): number => {
    const sum = from.reduce((total, share, column) => total + share * (SIGHTS[sight][3 * row + column] ?? 0), 0);
    return Math.min(1, Math.max(0, sum));
  };
  const [red, green, blue] = [of(0), of(1), of(2)];
  const scaled = (share: number): number => (share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116);
  const x = scaled((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505);
  const y = scaled(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = scaled((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function difference(one: string, other: string, sight: Sight): number {
  const [a, b] = [seen(one, sight), seen(other, sight)];
  return Math.hypot(...a.map((value, index) => value - (b[index] ?? 0)));
}

const pairs = <T>(all: readonly T[]): readonly (readonly [T, T])[] =>
  all.flatMap((one, index) => all.slice(index + 1).map((other) => [one, other] as const));

const themes = ['dark', 'light'] as const;
const sights = Object.keys(SIGHTS) as Sight[];

describe.each(themes)('in the %s theme', (theme) => {
  test.each(sights)('every two states differ in hue with %s sight', (sight) => {
    for (const [[one, a], [other, b]] of pairs(Object.entries(STATE_STYLES)))
      expect({ one, other, isApart: difference(a[theme], b[theme], sight) > 20 }).toEqual({ one, other, isApart: true });
  });

  test.each(sights)('the two sides are far apart with %s sight', (sight) => {
    expect(difference(SIDE_HUES[theme].bid, SIDE_HUES[theme].ask, sight)).toBeGreaterThan(80);
  });
});

test('every state has its own mark, so that states are recognisable without colour', () => {
  const marks = Object.values(STATE_STYLES).map(({ mark }) => mark);
  expect(new Set(marks).size).toBe(marks.length);
});

/** Degrees on the colour circle: red at 0, green at 120, blue at 240. */
function angleOf(hue: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hue.slice(at, at + 2), 16));
  return (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * (180 / Math.PI) + 360) % 360;
}

test('no hue of a state or side is green or red', () => {
  const states = Object.values(STATE_STYLES).flatMap(({ dark, light }) => [dark, light]);
  for (const hue of [...states, ...themes.flatMap((theme) => Object.values(SIDE_HUES[theme]))]) {
    const angle = angleOf(hue);
    expect({ hue, isGreen: angle > 70 && angle < 180, isRed: angle > 345 || angle < 15 }).toEqual({ hue, isGreen: false, isRed: false });
  }
});

test('unknown states use the routine style, and states without a reading the style of a gap', () => {
  expect(stateStyle('something_new')).toBe(STATE_STYLES.market_state_watch);
  expect([stateWord('something_new'), stateWord('insufficient_evidence'), stateWord('depth_watch')]).toEqual([
    'market_state_watch',
    'hole',
    'depth_watch',
  ]);
});

test('marks are drawn in an ink that stands out from their hue', () => {
  for (const { dark, light, mark } of Object.values(STATE_STYLES)) {
    for (const hue of [dark, light]) {
      const image = markImage(mark, hue);
      if (mark === 'plain') expect(image).toBe('none');
      else expect(image).toContain(lightnessOf(hue) > 0.3 ? '%2310151b' : '%23ffffff');
    }
  }
});

test('the page gets each hue once in each theme', () => {
  const declarations = paletteDeclarations('dark').match(/--state-[a-z_]+:/g) ?? [];
  expect(new Set(declarations).size).toBe(Object.keys(STATE_STYLES).length + 1);
  expect(declarations).toHaveLength(Object.keys(STATE_STYLES).length + 1);
});
