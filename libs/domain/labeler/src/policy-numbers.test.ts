import fc from 'fast-check';
import { policyTexts } from '../tests/policy-texts';
import { RUNS } from '../tests/properties/cases';
import { PolicyError } from './policy/files';
import { loadPolicy } from './policy/policy';
import { editNumbers, NUMBER_FIELDS, numberAt, type NumberEdits } from './policy-numbers';
import { parsePolicyDocument, parsePolicy } from './policy/parse-policy';

const TEXTS = policyTexts();
const policy = loadPolicy();

function* numbersIn(value: unknown, at: readonly string[] = []): Generator<string> {
  if (typeof value === 'number' || typeof value === 'boolean') yield at.join('.');
  else if (typeof value === 'object' && value !== null && !Array.isArray(value))
    for (const [name, member] of Object.entries(value)) yield* numbersIn(member, [...at, name]);
}

test('every number and switch of numbers.json can be edited, but the grid of windows', () => {
  const all = [...numbersIn(policy.numbers)].filter((path) => path !== 'windows.packet_interval_ms');
  expect(NUMBER_FIELDS.map(({ path }) => path)).toEqual(all);
  expect(all.length).toBeGreaterThan(130);
  for (const { path } of NUMBER_FIELDS) expect(numberAt(policy.numbers, path)).toBeDefined();
});

test('a field has the bounds of its schema', () => {
  const fieldOf = (path: string) => NUMBER_FIELDS.find((field) => field.path === path);
  expect(fieldOf('thresholds.pressure.watch')).toEqual({
    path: 'thresholds.pressure.watch',
    kind: 'number',
    least: { value: 0, isIn: false },
    most: { value: 1, isIn: true },
  });
  expect(fieldOf('dwell.packets')).toMatchObject({ kind: 'integer', least: { value: 1, isIn: true }, most: null });
});

test('no edits, or edits to the published values, are the published numbers', () => {
  const all = Object.fromEntries(NUMBER_FIELDS.map(({ path }) => [path, String(numberAt(policy.numbers, path))]));
  for (const edits of [{}, all]) expect(editNumbers(policy.numbers, edits)).toEqual({ numbers: policy.numbers, faults: [] });
});

/** Faults of `parsePolicy` for these values, as path and sentence. */
function saidByParsing(edits: NumberEdits): readonly string[] {
  const content = JSON.parse(TEXTS['numbers.json'] ?? '') as Record<string, never>;
  for (const [path, text] of Object.entries(edits)) {
    const names = path.split('.');
    const parent = names.slice(0, -1).reduce<Record<string, never>>((node, name) => node[name] as never, content);
    const isSwitch = typeof numberAt(policy.numbers, path) === 'boolean';
    const value = isSwitch ? (text === 'true' || text === 'false' ? text === 'true' : text) : /^[-\d]/.test(text) ? Number(text) : text;
    parent[names.at(-1) ?? ''] = value as never;
  }
  try {
    parsePolicy({ ...TEXTS, 'numbers.json': JSON.stringify(content) });
    return [];
  } catch (error) {
    if (error instanceof PolicyError) return error.faults.map(({ message }) => message);
    throw error;
  }
}

const value = fc.constantFrom('0', '1', '-1', '0.5', '0.999999', '2', '1.5', '1000000', '10000', '15000', 'true', 'false', 'abc', '');

test('whatever stands in one place, the sentences are those of parsePolicy', () => {
  fc.assert(
    fc.property(fc.constantFrom(...NUMBER_FIELDS), value, ({ path }, text) => {
      const { faults } = editNumbers(policy.numbers, { [path]: text });
      expect(faults.map((fault) => `${fault.path} ${fault.says}`).sort()).toEqual([...saidByParsing({ [path]: text })].sort());
    }),
    RUNS,
  );
});

describe('one document of all files', () => {
  const whole = JSON.stringify(policy.files, null, 2);

  test('is the policy of the files', () => {
    expect(parsePolicyDocument('policy.json', whole).digest).toBe(policy.digest);
  });

  test.each<[string, string, readonly string[]]>([
    ['no JSON', '{', ['policy.json:1:']],
    ['a list', '[]', ['policy.json:1: the file is not an object of policy files']],
    ['a part', '{"numbers": 1, "mood": {}}', ['mood is not one of facts, ', 'lacks "tags"']],
    [
      'a fault',
      whole.replace(/("dwell": \{\s+"packets": )\d+/, '$10'),
      [/^policy\.json:\d{3,}: numbers\.dwell\.packets \(0\) must be >= 1$/.source],
    ],
  ])('that is or has %s is refused, each fault with its line', (_name, text, sentences) => {
    const refusal = ((): unknown => {
      try {
        return parsePolicyDocument('policy.json', text);
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(PolicyError);
    for (const sentence of sentences) {
      const message = (refusal as PolicyError).message;
      if (sentence.startsWith('^')) expect(message).toMatch(new RegExp(sentence));
      else expect(message).toContain(sentence);
    }
  });
});
