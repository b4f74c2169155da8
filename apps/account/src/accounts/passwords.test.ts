import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { hash } from '@node-rs/argon2';
import { createPasswordWork } from './password-work';
import { createHashThreads, createPasswords, isOutdated } from './passwords';

const caller = { isKnown: false, network: '203.0.113.1', signal: new AbortController().signal, deadlineMs: undefined };

const threads = createHashThreads();
let hashes = 0;
let passwords: ReturnType<typeof createPasswords>;

beforeAll(async () => {
  passwords = createPasswords({
    threads,
    work: createPasswordWork(),
    otherHash: await threads.hash('no account uses this'),
    onHash: () => (hashes += 1),
  });
});
afterAll(() => threads.close());

test('a hash is argon2id with 19,456 KiB, 2 passes, parallelism 1, a 16-byte salt and a 32-byte tag', async () => {
  const stored = await passwords.hash('a quiet river 81', caller);
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[0-9A-Za-z+/]{22}\$[0-9A-Za-z+/]{43}$/);
  expect(await passwords.hash('a quiet river 81', caller)).not.toBe(stored);
  expect(isOutdated(stored)).toBe(false);
});

test.each([
  ['an upper case letter', 'A quiet river 81'],
  ['a blank at its end', 'a quiet river 81 '],
  ['one character less', 'a quiet river 8'],
  ['a full-width digit', 'a quiet river ８1'],
])('a password is compared to the byte: not with %s', async (_case, other) => {
  const stored = await passwords.hash('a quiet river 81', caller);
  await expect(passwords.verify('a quiet river 81', stored, caller)).resolves.toBe(true);
  await expect(passwords.verify(other, stored, caller)).resolves.toBe(false);
});

test('all 256 characters count, and a NUL ends nothing', async () => {
  const long = `${'é'.repeat(200)}\u0000${'x'.repeat(55)}`;
  const stored = await passwords.hash(long, caller);
  await expect(passwords.verify(long, stored, caller)).resolves.toBe(true);
  await expect(passwords.verify(`${long.slice(0, -1)}y`, stored, caller)).resolves.toBe(false);
});

test('without a hash a placeholder is verified, and even its own password is wrong', async () => {
  hashes = 0;
  await expect(passwords.verify('no account uses this', null, caller)).resolves.toBe(false);
  expect(hashes).toBe(1);
});

test.each([
  ['memory', { memoryCost: 19_455, timeCost: 2, parallelism: 1 }],
  ['passes', { memoryCost: 19_456, timeCost: 1, parallelism: 1 }],
  ['the tag', { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 16 }],
  ['the kind of hash', { memoryCost: 19_456, timeCost: 2, parallelism: 1, algorithm: 1 }],
])('a hash with less of %s is outdated', async (_what, options) => {
  expect(isOutdated(await hash('a quiet river 81', options))).toBe(true);
});

(process.platform === 'linux' ? test : test.skip)('threads that hash have a lower priority than others of the process', async () => {
  await Promise.all([threads.hash('one'), threads.hash('other')]);
  const priorities = readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
  const lower = Math.min(19, getPriority() + 10);
  expect(priorities.filter((priority) => priority === lower)).toHaveLength(2);
  expect(priorities.filter((priority) => priority > getPriority())).toHaveLength(2);
});

test('a thread that fails is replaced', async () => {
  await expect(threads.verify('no hash', 'a quiet river 81')).rejects.toThrow();
  await expect(threads.verify(await threads.hash('a quiet river 81'), 'a quiet river 81')).resolves.toBe(true);
});
