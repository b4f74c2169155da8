import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { candidatesFor } from '../src/completion/candidates';
import { buildProgram } from '../src/program';
import { createWorkplace } from './run';

const place = createWorkplace();
const program = join(__dirname, '../bin/market-state.mjs');
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

const isThere = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

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
  [['get', 'book', '--format', 'j'], ['json']],
  [['tail', '--until'], ['--until-state']],
  [['search', '--symbol', ''], ['BTCUSD-PERP']],
  [['tail', 'BTCUSD-PERP', ''], []],
  [['label', ''], []],
])('after %j comes %j', async (words, expected) => {
  expect(await wordsFor(...words)).toEqual(expected);
});

test('bash completes words and symbols, and files where nothing else is known', () => {
  const script = [
    'source <(market-state completion bash)',
    'ask() { COMP_WORDS=(market-state "$@"); COMP_CWORD=$#; _market_state; echo "${COMPREPLY[*]}"; }',
    'ask get bo; ask get book ""; touch recording.gz; ask label rec',
  ].join('\n');
  const text = execFileSync('bash', ['--norc', '-c', script], { env, cwd: place.folder, encoding: 'utf8' });
  expect(text).toBe('book\nBTCUSD-PERP ETHUSD-PERP\nrecording.gz\n');
});

test.skipIf(!isThere('fish'))('fish completes words and symbols', () => {
  const script = 'market-state completion fish | source; complete -C "market-state get bo"; complete -C "market-state get book B"';
  const text = execFileSync('fish', ['--no-config', '-c', script], { env, cwd: place.folder, encoding: 'utf8' });
  expect(text).toBe('book\tthe order book\nBTCUSD-PERP\tsymbol\n');
});

/** Types a line into an interactive shell: what its completion makes of it is printed by a widget of our own. */
const ZSH = [
  'zmodload zsh/zpty',
  'zpty shell zsh -f -i',
  `zpty -w shell 'PS1=; autoload -U compinit; compinit -u -D; source <(market-state completion zsh); bindkey -r "^X"'`,
  `zpty -w shell 'show() { print -r -- "LINE=[$BUFFER]"; }; zle -N show; bindkey "^Xs" show; echo REA""DY'`,
  'take() { local text= piece; while [[ $text != *"$1"* ]]; do zpty -r shell piece || return 1; text+=$piece; done; }',
  'take READY',
  `zpty -n -w shell $'market-state get book ET\\t\\x18s'`,
  'take "LINE=[market-state get book ETHUSD-PERP ]" && print found',
  'zpty -d shell',
].join('\n');

test.skipIf(!isThere('zsh'))('zsh completes symbols', () => {
  expect(execFileSync('zsh', ['-f', '-c', ZSH], { env, cwd: place.folder, encoding: 'utf8', timeout: 60_000 })).toContain('found');
});
