import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openAccess, readProfile, writeProfile } from '../src/client/access';
import { readSecret } from '../src/commands/login';
import type { CliIo } from '../src/io/cli-io';
import { createWorkplace, run } from './run';

const place = createWorkplace();
afterAll(() => place.remove());
const profileFile = join(place.folder, 'config', 'profile.json');
const PROFILE = { url: 'https://api.example.com', apiKey: 'msk_live_profile' };

function ioWith(environment: Partial<CliIo>): CliIo {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const none = join(place.folder, 'none.json');
  return { ...streams, cwd: place.folder, signal: new AbortController().signal, dataDir: '.data', profileFile: none, ...environment };
}

test('a profile is for its owner alone, and is refused where others may read it', async () => {
  await writeProfile(profileFile, PROFILE);
  expect([statSync(profileFile).mode & 0o777, statSync(join(place.folder, 'config')).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(await readProfile(profileFile)).toEqual(PROFILE);
  chmodSync(profileFile, 0o640);
  await expect(readProfile(profileFile)).rejects.toThrow('other users can read it (mode 640)');
  chmodSync(profileFile, 0o600);
});

test('a key goes to its own service alone, and a named service comes before the profile and the system on this machine', async () => {
  mkdirSync(join(place.folder, '.data'));
  writeFileSync(join(place.folder, '.data', 'endpoints.json'), JSON.stringify({ gateway: 'http://127.0.0.1:8080' }));
  writeFileSync(join(place.folder, '.data', 'demo-key'), 'msk_live_demo\n');
  const cases = [
    [{}, {}, ['http://127.0.0.1:8080', 'msk_live_demo', 'demo']],
    [{ profileFile }, {}, [PROFILE.url, PROFILE.apiKey, 'profile']],
    [{ profileFile }, { url: `${PROFILE.url}/` }, [PROFILE.url, PROFILE.apiKey, 'profile']],
    [{ profileFile }, { url: 'https://other.example.com' }, ['https://other.example.com', undefined, 'none']],
    [{ profileFile, url: 'https://other.example.com' }, {}, ['https://other.example.com', undefined, 'none']],
    [
      { profileFile, apiKey: 'msk_live_env' },
      { url: 'https://other.example.com' },
      ['https://other.example.com', 'msk_live_env', 'environment'],
    ],
    [{ profileFile, url: 'https://other.example.com' }, { dataDir: '.data' }, ['http://127.0.0.1:8080', 'msk_live_demo', 'demo']],
    [{}, { url: 'http://127.0.0.1:8080' }, ['http://127.0.0.1:8080', 'msk_live_demo', 'demo']],
  ] as const;
  for (const [environment, order, [url, apiKey, keySource]] of cases)
    expect([order, await openAccess(ioWith(environment), order)]).toEqual([
      order,
      apiKey === undefined ? { url, keySource } : { url, apiKey, keySource },
    ]);
  await expect(openAccess(ioWith({ url: 'https://user:secret@example.com' }), {})).rejects.toThrow('MARKET_STATE_URL must look like');
});

test('a key that is typed is not shown', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: jest.fn() });
  const io = ioWith({ stdin });
  const typed = readSecret(io, 'API key: ');
  stdin.write('msk_wrong');
  stdin.write('\u007f'.repeat(5));
  stdin.write('live\r');
  expect(await typed).toBe('msk_live');
  expect(stdin.setRawMode.mock.calls).toEqual([[true], [false]]);
  expect(String((io.stderr as PassThrough).read())).toBe('API key: \n');
});

test('a key on the command line is refused, and no profile is made of a service that cannot be reached', async () => {
  const environment = { profileFile: join(place.folder, 'new', 'profile.json') };
  const named = await run(['login', 'msk_live_x', '--url', 'http://127.0.0.1:1'], place.folder, undefined, environment);
  expect([named.exitCode, named.stderr]).toEqual([2, expect.stringContaining('visible to other users of this machine')]);
  const option = await run(['get', 'latest', '--key', 'msk_live_x'], place.folder, undefined, environment);
  expect([option.exitCode, option.stderr]).toEqual([2, expect.stringContaining('unknown option --key')]);
  const stdin = new PassThrough();
  stdin.end('msk_live_x\n');
  const away = await run(['login', '--url', 'http://127.0.0.1:1'], place.folder, undefined, { ...environment, stdin });
  expect([away.exitCode, existsSync(environment.profileFile)]).toEqual([3, false]);
});
