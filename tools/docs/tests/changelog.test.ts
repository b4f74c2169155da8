import { changelogFaults, changelogPage, factsOfWorkspace, type Release } from '../src/reference/changelog-page';

const now = factsOfWorkspace();
const first: Release = { version: '0.1.0', date: '2026-01-01', facts: now, changes: [{ class: 'additive', text: 'The first.' }] };
const next = (facts: Partial<Release['facts']>, ...classes: readonly Release['changes'][number]['class'][]): Release => ({
  version: 'next',
  date: null,
  facts: { ...now, ...facts },
  changes: classes.map((name) => ({ class: name, text: 'Something.' })),
});
const faultsOf = (entry: Release) => changelogFaults([entry, first], ['0.1.0'], entry.facts);

test("the page lists each release's changes by class, and what stayed the same", () => {
  const { markdown } = changelogPage();
  expect(markdown).toContain('## Unreleased');
  expect(markdown).toContain('**Unchanged since 0.1.0**: version 1.0.0 of the API and `market_state.v1` packets.');
  expect(markdown).toMatch(/It has edition 3 of the labeling policy \(digest `\w+`\), after edition 2/);
  expect(markdown).toContain(now.policy_digest);
});

test("a recorded release without an entry is a fault, and so are facts that differ from the workspace's", () => {
  expect(changelogFaults([first], ['0.1.0'], now)).toEqual([]);
  expect(changelogFaults([first], ['0.1.0', '0.2.0'], now)).toEqual(['It lists 0.1.0, but the recorded releases are 0.1.0, 0.2.0.']);
  expect(changelogFaults([first], ['0.1.0'], { ...now, policy_edition: 9 })).toEqual(['Its newest entry lacks policy_edition 9.']);
});

test.each([
  [next({ policy_digest: 'f'.repeat(64) }, 'additive'), ['next has a different policy, but no change of behaviour.']],
  [next({ policy_digest: 'f'.repeat(64) }, 'behaviour'), []],
  [next({ api: '2.0.0' }, 'behaviour'), ['next has another major version, but no breaking change.']],
  [next({ packet: 'market_state.v2' }, 'breaking'), []],
  [next({}, 'breaking'), ['next has a breaking change.']],
  [next({}, 'odd' as 'additive'), ['next has a change of the unknown class odd.']],
])('an entry has the class that its facts require: %#', (entry, faults) => {
  expect(faultsOf(entry)).toEqual(faults);
});
