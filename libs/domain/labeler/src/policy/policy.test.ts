import { policyTexts } from '../../tests/policy-texts';
import { parsePolicy } from './parse-policy';
import { loadPolicy } from './policy';

describe('the policy that ships', () => {
  test('has a digest of 64 hex characters, the same from its imported files and from their texts', () => {
    expect(loadPolicy().digest).toMatch(/^[0-9a-f]{64}$/);
    expect(parsePolicy(policyTexts()).digest).toBe(loadPolicy().digest);
    expect(parsePolicy(new Map(Object.entries(policyTexts()))).digest).toBe(loadPolicy().digest);
  });

  test('is the same policy however its text is laid out', () => {
    const compact = Object.fromEntries(Object.entries(policyTexts()).map(([name, text]) => [name, JSON.stringify(JSON.parse(text))]));
    expect(parsePolicy(compact).digest).toBe(loadPolicy().digest);
  });

  test('is another policy once any file changes, with or without a new version', () => {
    const digests = Object.entries(policyTexts()).map(
      ([name, text]) => parsePolicy({ ...policyTexts(), [name]: changed(name, text) }).digest,
    );
    expect(new Set([...digests, loadPolicy().digest]).size).toBe(11);
  });
});

/** A small change that keeps the file a policy file. */
function changed(name: string, text: string): string {
  if (name === 'numbers.json') return text.replace('"duplicate_ms": 600000', '"duplicate_ms": 610000');
  if (name === 'versions.json') return text.replace('deterministic_feature_mapping.v', 'deterministic_feature_mapping.v9');
  if (name === 'routes.json') return text.replace('&limit=30&', '&limit=50&');
  if (name === 'guidance.json') return text.replace('"gte": 0.8', '"gte": 0.81');
  if (name === 'lanes.json') return text.replace('"latency_budget_ms": 50', '"latency_budget_ms": 60');
  return text.replace(/\.(?="[ ,}\]])/, '');
}
