import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { completionsIn, hasShell, SHELLS } from '@market-state/testing';
import { candidatesFor } from '../src/commands/completion';
import { buildProgram } from '../src/program';
import { createWorkplace } from './run';

const place = createWorkplace();
const program = join(import.meta.dirname, '../bin/market-state.mjs');
const SERVICE = 'http://127.0.0.1:1';
const env = {
  ...process.env,
  MARKET_STATE_URL: SERVICE,
  XDG_CONFIG_HOME: join(place.folder, 'config'),
  PATH: `${join(place.folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
};

beforeAll(() => {
  const bin = join(place.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'market-state'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
  // Symbols of a service that was asked a moment ago: no service is asked here.
  const kept = join(env.XDG_CONFIG_HOME, 'market-state', `symbols-${encodeURIComponent(SERVICE)}.json`);
  mkdirSync(dirname(kept), { recursive: true });
  writeFileSync(kept, JSON.stringify(['BTCUSD-PERP', 'ETHUSD-PERP']));
});
afterAll(() => place.remove());

async function wordsFor(...words: readonly string[]): Promise<readonly string[]> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const io = { ...streams, cwd: '/', signal: new AbortController().signal, dataDir: '/', profileFile: '/profile.json' };
  const known = { reads: [{ word: 'book', summary: 'the order book' }], symbols: ['BTCUSD-PERP'] };
  return candidatesFor(await buildProgram([], io, () => undefined), words, known).map(({ word }) => word);
}

test.each([
  [['hist'], ['history']],
  [['account', 'keys', 're'], ['revoke']],
  [['get', ''], ['book']],
  [['get', 'book', ''], ['BTCUSD-PERP']],
  [['get', '--depth', '5', 'book', ''], ['BTCUSD-PERP']],
  [['get', 'book', '--output', 'j'], ['json']],
  [['tail', '--until'], ['--until-state']],
  [['search', '--symbol', ''], ['BTCUSD-PERP']],
  [['tail', 'BTCUSD-PERP', ''], []],
  [['label', ''], []],
])('after %j comes %j', async (words, expected) => {
  expect(await wordsFor(...words)).toEqual(expected);
});

test('bash completes files where nothing else is known', () => {
  const script = [
    'source <(market-state completion bash)',
    'COMP_WORDS=(market-state label rec); COMP_CWORD=2; touch recording.gz; _market_state; echo "${COMPREPLY[*]}"',
  ].join('\n');
  const text = execFileSync('bash', ['--norc', '-c', script], { env, cwd: place.folder, encoding: 'utf8' });
  expect(text).toBe('recording.gz\n');
});

const COMPLETED = {
  bash: 'book\nBTCUSD-PERP ETHUSD-PERP\n',
  fish: 'book\tthe order book\nBTCUSD-PERP\tsymbol\n',
  zsh: 'ETHUSD-PERP\n',
};

for (const shell of SHELLS)
  (!hasShell(shell) ? test.skip : test)(`${shell} completes words and symbols`, () => {
    expect(completionsIn(shell, env, place.folder)).toBe(COMPLETED[shell]);
  });
