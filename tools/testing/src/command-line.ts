import { type ChildProcessWithoutNullStreams, spawn, execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userProgramFile } from '@market-state/launcher';
import { waitUntil } from './wait-until';

interface CommandOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunningCommand {
  lines(): readonly string[];
  stderr(): string;
  /** Arguments of its process as visible to every user of the machine. */
  seenArguments(): string;
  readonly exited: Promise<number>;
  /** Sends Ctrl-C. @returns its exit code */
  end(): Promise<number>;
}

/** The program; each call is a process in its own folder with exactly this environment. */
export interface CommandLine {
  run(args: readonly string[], stdin?: string): Promise<CommandOutcome>;
  start(args: readonly string[]): RunningCommand;
  with(environment: NodeJS.ProcessEnv): CommandLine;
}

export function openCommandLine(folder: string, environment: NodeJS.ProcessEnv): CommandLine {
  const program = userProgramFile();

  function begin(args: readonly string[], stdin: string) {
    const env = { PATH: process.env['PATH'], DATA_DIR: join(folder, '.data'), XDG_CONFIG_HOME: folder, ...environment };
    const child = spawn(process.execPath, [program, ...args], { env, cwd: folder });
    child.stdin.end(stdin);
    const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
    const exitCode = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
    return { child, stdout, stderr, exitCode };
  }

  return {
    async run(args, stdin = '') {
      const { stdout, stderr, exitCode } = begin(args, stdin);
      return { exitCode: await exitCode, stdout: stdout(), stderr: stderr() };
    },
    start(args) {
      const { child, stdout, stderr, exitCode } = begin(args, '');
      return {
        lines: () => stdout().split('\n').slice(0, -1),
        stderr,
        exited: exitCode,
        seenArguments: () => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8'),
        end() {
          child.kill('SIGINT');
          return exitCode;
        },
      };
    },
    with: (further) => openCommandLine(folder, { ...environment, ...further }),
  };
}

function textOf(stream: ChildProcessWithoutNullStreams['stdout']): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

export const SHELLS = ['bash', 'fish', 'zsh'] as const;
type Shell = (typeof SHELLS)[number];

const TIME_LIMIT_MS = 300_000;

const BASH = [
  'source <(market-state completion bash)',
  'ask() { COMP_WORDS=(market-state "$@"); COMP_CWORD=$#; _market_state; echo "${COMPREPLY[*]}"; }',
  'ask get bo; ask get book ""',
].join('\n');

const FISH = 'market-state completion fish | source; complete -C "market-state get bo"; complete -C "market-state get book B"';

const ZSH = [
  'zmodload zsh/zpty',
  'zpty shell zsh -f -i',
  `zpty -w shell 'PS1=; autoload -U compinit; compinit -u -D; source <(market-state completion zsh); bindkey -r "^X"'`,
  `zpty -w shell 'show() { print -r -- "LINE=[$BUFFER]"; }; zle -N show; bindkey "^Xs" show; echo REA""DY'`,
  'take() { local text= piece; while [[ $text != *"$1"* ]]; do zpty -r shell piece || return 1; text+=$piece; done; }',
  'take READY',
  `zpty -n -w shell $'market-state get book ET\\t\\x18s'`,
  'take "LINE=[market-state get book ETHUSD-PERP ]" && print ETHUSD-PERP',
  'zpty -d shell',
].join('\n');

const COMMANDS: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['--norc', '-c', BASH],
  fish: ['--no-config', '-c', FISH],
  zsh: ['-f', '-c', ZSH],
};

export function hasShell(shell: Shell): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

/** Completions of `market-state get bo` and of the symbol after `get book` (in zsh only of `get book ET`). */
export function completionsIn(shell: Shell, env: NodeJS.ProcessEnv, cwd: string): string {
  return execFileSync(shell, [...COMMANDS[shell]], { env, cwd, encoding: 'utf8', timeout: TIME_LIMIT_MS });
}

interface Row {
  readonly sequence?: number;
  readonly exchange_time_utc?: string;
}

const SECOND_MS = 1_000;
/** Exit codes of a replay read to its receipt: complete, or with gaps. */
const READ_TO_THE_END = [0, 6];

/**
 * Sequences of the rows printed by a tail, and of the stored rows between its first and last.
 * @throws Error if the last row is never stored
 */
export async function compareTail(
  cli: CommandLine,
  symbol: string,
  lines: readonly string[],
): Promise<{ readonly had: readonly number[]; readonly stored: readonly number[] }> {
  const rows = rowsIn(lines);
  const had = rows.map(({ sequence }) => sequence);
  const [first, last] = [had[0], had.at(-1)];
  if (first === undefined || last === undefined) throw new Error('The tail printed no row.');
  const times = rows.map(({ atMs }) => atMs);
  const span = ['--from', String(Math.min(...times) - SECOND_MS), '--to', String(Math.max(...times) + SECOND_MS)];
  const stored = await waitUntil('the last row of the tail in a replay', async () => {
    const { exitCode, stdout, stderr } = await cli.run([
      ...['replay', symbol, ...span, '--channels', 'book,trades'],
      ...['--output', 'ndjson', '--max-credits', '1000'],
    ]);
    if (!READ_TO_THE_END.includes(exitCode)) throw new Error(`The replay exits with ${exitCode}: ${stderr}`);
    const sequences = rowsIn(stdout.split('\n').slice(0, -1)).map(({ sequence }) => sequence);
    return sequences.includes(last) && sequences;
  });
  return { had, stored: stored.filter((at) => at >= first && at <= last) };
}

function rowsIn(lines: readonly string[]): readonly { readonly sequence: number; readonly atMs: number }[] {
  return lines.flatMap((line) => {
    const { sequence, exchange_time_utc: at } = JSON.parse(line) as Row;
    return sequence === undefined || at === undefined ? [] : [{ sequence, atMs: Date.parse(at) }];
  });
}

export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

const RULE = '{"kind":"state_is","params":{"states":["market_state_watch"]}}';

/** Every command that reads from a service and ends by itself. */
export function readCommands(symbol: string): readonly string[] {
  return [
    ...['latest', `packet ${symbol}`, `book ${symbol} --depth 3`, `trades ${symbol} --limit 5`, 'catalog'].map((of) => `get ${of}`),
    ...['candles', 'context', 'liquidations', 'gaps', 'freshness', 'condition', 'stability'].map((what) => `get ${what} ${symbol}`),
    'get /api/public/market-state/status/proof',
    `history ${symbol} --limit 5`,
    'search --limit 3',
    'usage',
    'usage receipts --limit 3',
    'usage balance --step hour',
    'get prices',
    'usage caps',
    'usage estimate /api/public/market-state/replay?limit=100',
    'account keys list',
    'shares list',
    'export list',
    'alerts list',
    'watchlists list',
    'webhooks list',
    'webhooks messages --limit 3',
    'webhooks deliveries --limit 3',
    `alerts rehearse ${symbol} --rule ${RULE}`,
    'whoami',
    `history ${symbol} --dry-run`,
  ];
}

/** Returns a description of the fault, or null if the text is valid. */
export function formatFault(format: Format, text: string): string | null {
  try {
    if (format === 'json') JSON.parse(text);
    if (format === 'ndjson') for (const line of text.split('\n').filter(Boolean)) JSON.parse(line);
  } catch (error) {
    return `${String(error)}: ${text.slice(0, 200)}`;
  }
  const [head = ''] = text.split('\n');
  if (format === 'csv' && !/^[a-z0-9_.]+(,[a-z0-9_.]+)*$|^$/.test(head)) return `its first line is ${head}`;
  return format === 'table' && text.trim().length < 2 ? 'it is empty' : null;
}
