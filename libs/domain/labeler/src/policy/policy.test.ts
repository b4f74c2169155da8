import { SHIPPED_POLICY_FILES } from './files';
import { PolicyError } from './fault';
import { loadPolicy } from './policy';

function faultsOf(change: (files: Record<string, never>) => void): readonly string[] {
  const files = structuredClone(SHIPPED_POLICY_FILES) as unknown as Record<string, never>;
  change(files);
  try {
    loadPolicy(files as unknown as typeof SHIPPED_POLICY_FILES);
  } catch (error) {
    if (error instanceof PolicyError) return error.faults.map((fault) => `${fault.file}${fault.path}: ${fault.message}`);
    throw error;
  }
  return [];
}

/** Test data is changed in ways that its types forbid. */
function at(files: Record<string, never>, ...path: readonly (string | number)[]): Record<string, unknown> {
  return path.reduce<Record<string, unknown>>((node, key) => node[key] as Record<string, unknown>, files);
}

describe('loadPolicy', () => {
  test('the shipped files are a policy with a digest of 64 hex characters', () => {
    expect(loadPolicy().digest).toMatch(/^[0-9a-f]{64}$/);
  });

  test('the same files give the same digest, a changed one another', () => {
    const files = structuredClone(SHIPPED_POLICY_FILES);
    expect(loadPolicy(files).digest).toBe(loadPolicy().digest);
    (files.numbers as { version: string }).version = 'market_state_numbers.v2';
    expect(loadPolicy(files).digest).not.toBe(loadPolicy().digest);
  });

  test.each<[string, (files: Record<string, never>) => void, string]>([
    ['an unknown key in numbers', (f) => (at(f, 'numbers', 'dwell')['extra'] = 1), 'numbers/dwell: must NOT have additional properties "extra"'],
    ['an impossible number', (f) => (at(f, 'numbers', 'thresholds', 'flow')['watch'] = 1.5), 'numbers/thresholds/flow/watch: must be <= 1'],
    ['an impossible pair', (f) => (at(f, 'numbers', 'thresholds', 'flow')['watch'] = 0.9), 'numbers/thresholds/flow: watch 0.9 is not under elevated 0.6'],
    ['weights that do not sum to 1', (f) => (at(f, 'numbers', 'features')['fragility_weight_thin'] = 0.5), 'numbers/features: the weights 0.5, 0.35, 0.25 do not sum to 1'],
    ['an unknown key in a tag group', (f) => (at(f, 'tags', 'groups', 0)['colour'] = 'red'), 'tags/groups/0: must NOT have additional properties "colour"'],
    ['a tag family that the taxonomy lacks', (f) => (at(f, 'tags', 'groups', 0)['family'] = 'mood'), 'tags/groups/0/family: "mood" is not one of the tag_families'],
    ['a tag that reads novelty', (f) => (at(f, 'tags', 'groups', 0, 'values', 0)['when'] = { fact: 'novelty_score', gte: 0.5 }), 'tags/groups/0/values/0/when/fact: unknown fact "novelty_score"'],
    ['a word that its fact cannot hold', (f) => (at(f, 'tags', 'groups', 0, 'values', 0)['when'] = { fact: 'pressure_side', eq: 'up' }), 'tags/groups/0/values/0/when/eq: "up" is not a value of "pressure_side"'],
    ['an order asked of a word', (f) => (at(f, 'reasons', 'reasons', 0)['when'] = { fact: 'pressure_side', gte: 1 }), 'reasons/reasons/0/when: "gte" cannot be asked of the word "pressure_side"'],
    ['a claim over an unknown fact', (f) => (at(f, 'reasons', 'reasons', 0)['claim'] = 'It is {mood}.'), 'reasons/reasons/0/claim: unknown fact "mood"'],
    ['a number written into a claim', (f) => (at(f, 'reasons', 'reasons', 0)['claim'] = 'It is 5.'), 'reasons/reasons/0/claim: a number must come from a fact'],
    ['a reason without a lane', (f) => (at(f, 'reasons', 'reasons', 0)['lane'] = 'slow_lane'), 'reasons/reasons/0/lane: "slow_lane" is not a lane'],
    ['evidence on an unknown route', (f) => (at(f, 'reasons', 'reasons', 0)['evidence'] = ['nowhere']), 'reasons/reasons/0/evidence/0: unknown route "nowhere"'],
    ['another claim boundary', (f) => (at(f, 'texts')['claim_boundary'] = 'none'), 'texts/claim_boundary: must be equal to constant'],
    ['a route outside the public paths', (f) => (at(f, 'routes', 'routes')['latest'] = '/internal'), 'routes/routes/latest: must match pattern "^/api/public/[A-Za-z0-9/{}?=&_-]+$"'],
    ['a term twice', (f) => (at(f, 'taxonomy', 'states', 1)['value'] = 'insufficient_evidence'), 'taxonomy/states/1/value: "insufficient_evidence" stands twice'],
  ])('%s is refused with its file and path', (_name, change, fault) => {
    expect(faultsOf(change)).toContain(fault);
  });

  test('every fault is told at once', () => {
    const faults = faultsOf((files) => {
      at(files, 'reasons', 'reasons', 0)['lane'] = 'slow_lane';
      at(files, 'tags', 'groups', 0)['family'] = 'mood';
    });
    expect(faults.length).toBeGreaterThanOrEqual(2);
  });
});
