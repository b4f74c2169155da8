import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MarketState } from '@market-state/client';
import type { Command, Option } from 'commander';
import { CliCommand } from '../arguments/cli-command';
import { EXIT } from '../cli-error';
import { openAccess } from '../client/access';
import type { CliIo } from '../io/cli-io';
import { readResultFormat, type ResultFormat, withResultOption, writeResult } from '../output/settings';
import { READS } from '../reads/reads';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Each runs `market-state __complete <words…>`: one candidate per line, a tab before its description. */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# market-state completion for bash: source <(market-state completion bash)
_market_state() {
  local IFS=$'\\n'
  local current="\${COMP_WORDS[COMP_CWORD]}"
  local words
  words="$(market-state __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)"
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=( $(compgen -f -- "$current") )
}
complete -o filenames -F _market_state market-state
`,
  zsh: `#compdef market-state
# market-state completion for zsh: source <(market-state completion zsh)
_market_state() {
  local -a entries
  local line
  while IFS= read -r line; do
    local word="\${line%%$'\\t'*}" said="\${line#*$'\\t'}"
    entries+=("\${word//:/\\\\:}:\${said}")
  done < <(market-state __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#entries} )); then
    _describe 'market-state' entries
  else
    _files
  fi
}
if [ "\${funcstack[1]}" = "_market_state" ]; then
  _market_state "$@"
else
  compdef _market_state market-state
fi
`,
  fish: `# market-state completion for fish: market-state completion fish | source
function __market_state_complete
    set -l words (commandline -opc)
    market-state __complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c market-state -e
complete -c market-state -f -a '(__market_state_complete)'
complete -c market-state -n 'test (count (__market_state_complete)) -eq 0' -F
`,
};

const KEPT_MS = 600_000;
/** Shell completion must not block longer than this. */
const ANSWER_MS = 2_000;

/**
 * Cached next to the profile for ten minutes; the catalog is free. Empty if the service is unreachable: completion
 * never fails.
 */
async function servedSymbols(io: CliIo): Promise<readonly string[]> {
  try {
    const { url, apiKey } = await openAccess(io, {});
    const file = join(dirname(io.profileFile), `symbols-${encodeURIComponent(url)}.json`);
    const kept = await keptIn(file);
    if (kept !== undefined) return kept;
    const { data } = await new MarketState({ baseUrl: url, apiKey, timeoutMs: ANSWER_MS }).catalog.get({}, { signal: io.signal });
    const symbols = data.symbols.map(({ symbol }) => symbol);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, JSON.stringify(symbols), { mode: 0o600 });
    return symbols;
  } catch {
    return [];
  }
}

async function keptIn(file: string): Promise<readonly string[] | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs > KEPT_MS) return undefined;
  const list: unknown = JSON.parse(await readFile(file, 'utf8'));
  return Array.isArray(list) ? list.map(String) : undefined;
}

interface Candidate {
  readonly word: string;
  readonly summary: string;
}

const SYMBOL_OPTIONS: ReadonlySet<string> = new Set(['--symbol', '--symbols']);
const SYMBOL_COMMANDS: ReadonlySet<string> = new Set(['get', 'history', 'tail', 'replay', 'rehearse']);

interface Known {
  readonly reads: readonly Candidate[];
  readonly symbols: readonly string[];
}

/** @param words typed after the program's name; the last is being typed and may be empty */
export function candidatesFor(program: Command, words: readonly string[], known: Known): readonly Candidate[] {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { command, operands } = commandOf(program, before);
  const option = before.at(-1)?.startsWith('-') === true ? optionNamed(command, before.at(-1) ?? '') : undefined;
  if (option !== undefined && takesValue(option)) return startingWith(typed, valuesOf(option, known));
  if (typed.startsWith('-')) return startingWith(typed, optionsOf(command));
  const below = command.commands.filter((each) => !isHidden(each)).map((each) => ({ word: each.name(), summary: each.summary() }));
  if (below.length > 0 && operands.length === 0) return startingWith(typed, below);
  return startingWith(typed, operandsOf(command, operands, known));
}

/** Avoids calling the service when no symbol is expected. */
function wantsSymbols(program: Command, words: readonly string[]): boolean {
  const before = words.slice(0, -1);
  const last = before.at(-1) ?? '';
  if (SYMBOL_OPTIONS.has(last)) return true;
  const { command, operands } = commandOf(program, before);
  return SYMBOL_COMMANDS.has(command.name()) && (command.name() !== 'get' || operands.length > 0);
}

/** Resolves the command and its operands, leaving out options and their values. */
function commandOf(program: Command, words: readonly string[]): { readonly command: Command; readonly operands: readonly string[] } {
  let command = program;
  const operands: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word.startsWith('-')) {
      const option = optionNamed(command, word);
      if (option !== undefined && takesValue(option) && !word.includes('=')) at += 1;
      continue;
    }
    const below = operands.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
    if (below === undefined) operands.push(word);
    else command = below;
  }
  return { command, operands };
}

function operandsOf(command: Command, operands: readonly string[], { reads, symbols }: Known): readonly Candidate[] {
  if (command.name() === 'get' && operands.length === 0) return reads;
  if (command.name() === 'completion') return ['bash', 'zsh', 'fish'].map((word) => ({ word, summary: 'shell' }));
  if (!SYMBOL_COMMANDS.has(command.name())) return [];
  return symbols.filter((symbol) => !operands.includes(symbol)).map((word) => ({ word, summary: 'symbol' }));
}

function valuesOf({ long, argChoices = [] }: Option, { symbols }: Known): readonly Candidate[] {
  if (SYMBOL_OPTIONS.has(long ?? '')) return symbols.map((word) => ({ word, summary: 'symbol' }));
  return argChoices.map((word) => ({ word, summary: long ?? '' }));
}

function optionsOf(command: Command): readonly Candidate[] {
  const own = command.options.filter((option) => !option.hidden && option.long !== undefined);
  return [...own.map(({ long, description }) => ({ word: long ?? '', summary: description })), { word: '--help', summary: 'show help' }];
}

function optionNamed(command: Command, word: string): Option | undefined {
  const [flag = ''] = word.split('=');
  return command.options.find(({ long, short }) => long === flag || short === flag);
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

function isHidden(command: Command): boolean {
  return command.name().startsWith('_');
}

function startingWith(typed: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ word }) => word.startsWith(typed));
}

export function completionCommand(): CliCommand {
  return withResultOption(new CliCommand('completion'))
    .summary('generate shell completion for bash, zsh or fish')
    .description('Prints a completion script for your shell. It completes commands, options, option values and the symbols of the service.')
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText('after', '\nExamples:\n  $ source <(market-state completion bash)\n  $ market-state completion fish | source\n')
    .runs<{ readonly shell: Shell; readonly format: ResultFormat }>(
      ([word = '', ...more], options, fault) => {
        const shell = SHELLS.find((known) => known === word);
        if (shell === undefined || more.length > 0) fault(`the shell must be one of ${SHELLS.join(', ')}`);
        return { shell: shell ?? 'bash', format: readResultFormat(options, fault) };
      },
      ({ shell, format }, io) => {
        writeResult(io, format, { shell, script: SCRIPTS[shell] }, [SCRIPTS[shell].trimEnd()]);
        return Promise.resolve(EXIT.done);
      },
    );
}

export async function writeCandidates(program: Command, words: readonly string[], io: CliIo): Promise<void> {
  const reads = Object.entries(READS).map(([word, { summary }]) => ({ word, summary }));
  const symbols = wantsSymbols(program, words) ? await servedSymbols(io) : [];
  for (const { word, summary } of candidatesFor(program, words, { reads, symbols })) io.stdout.write(`${word}\t${summary}\n`);
}
