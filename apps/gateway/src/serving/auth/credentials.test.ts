import { type Grant, type CredentialChange, createKnownCredentials } from './credentials';

function setUp() {
  const listeners = new Set<(change: CredentialChange) => void>();
  const state = { nowMs: 1_000, isWatching: true, generation: 1 };
  const known = createKnownCredentials({
    kind: 'key',
    watch: {
      isWatching: () => state.isWatching,
      generation: () => state.generation,
      onChange(listener) {
        listeners.add(listener);
        return () => undefined;
      },
      close: async () => undefined,
    },
    now: () => state.nowMs,
    grantMsMax: 60_000,
  });
  const change = (changed: CredentialChange): void => listeners.forEach((listener) => listener(changed));
  return { known, state, change };
}

const grantOf = (tenantId: string): Grant => ({ tenantId, expiresMs: 1_000_000 }) as Grant;

it.each<[string, CredentialChange, boolean, boolean]>([
  ['its key', { kind: 'key', digestHex: 'a' }, false, true],
  ['a session of that digest', { kind: 'session', digestHex: 'a' }, true, true],
  ['its tenant', { kind: 'tenant', tenantId: 'ten_a' }, false, true],
  ['anything', { kind: 'all' }, false, false],
])('trusts no grant after a change of %s, also where it was found before; the credential stays known', (_of, changed, trustsA, trustsB) => {
  const { known, change } = setUp();
  for (const name of ['a', 'b']) expect(known.add(name, grantOf(`ten_${name}`), 1)).toBe(true);
  const found = known.find('a');
  change(changed);
  expect([known.grant('a') !== null, found?.grant() !== null, known.grant('b') !== null]).toEqual([trustsA, trustsA, trustsB]);
  expect([known.has('a'), known.has('b')]).toEqual([true, true]);
});

it('trusts no grant that was asked for before a change, or while changes are not heard, or past its time', () => {
  const { known, state } = setUp();
  state.generation = 2;
  expect([known.add('a', grantOf('ten_a'), 1), known.grant('a'), known.has('a')]).toEqual([false, null, true]);
  known.add('a', grantOf('ten_a'), 2);
  state.isWatching = false;
  expect([known.grant('a'), known.add('b', grantOf('ten_b'), 2), known.has('b')]).toEqual([null, false, true]);
  state.isWatching = true;
  expect([known.grant('a') === null, known.grant('b')]).toEqual([false, null]);
  state.nowMs += 60_000;
  expect(known.grant('a')).toBeNull();
});

it('trusts no grant of a credential that was replaced or deleted, though it was found before', () => {
  const { known } = setUp();
  known.add('a', grantOf('ten_a'), 1);
  const first = known.find('a');
  known.add('a', grantOf('ten_a'), 1);
  const second = known.find('a');
  known.delete('a');
  expect([first?.grant(), second?.grant(), known.has('a')]).toEqual([null, null, false]);
});
