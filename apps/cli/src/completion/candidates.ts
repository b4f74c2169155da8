import type { Command, Option } from 'commander';

/** What may come next on a command line, and what it is. */
export interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/** Options whose value is a symbol, and commands whose arguments are. */
const SYMBOL_OPTIONS: ReadonlySet<string> = new Set(['--symbol', '--symbols']);
const SYMBOL_COMMANDS: ReadonlySet<string> = new Set(['get', 'history', 'tail', 'replay', 'rehearse']);

/** What a completion is made from. */
export interface Known {
  /** The first words of `get`. */
  readonly reads: readonly Candidate[];
  readonly symbols: readonly string[];
}

/**
 * What may come at the end of these words.
 * @param words those typed after the program's name; the last is the one that is being typed, empty where it has not begun
 */
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

/** Whether these words ask for a symbol: only then is a service asked. */
export function wantsSymbols(program: Command, words: readonly string[]): boolean {
  const before = words.slice(0, -1);
  const last = before.at(-1) ?? '';
  if (SYMBOL_OPTIONS.has(last)) return true;
  const { command, operands } = commandOf(program, before);
  return SYMBOL_COMMANDS.has(command.name()) && (command.name() !== 'get' || operands.length > 0);
}

/** The command that words lead to, and those that are no options, no values of options and no commands. */
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
  return [...own.map(({ long, description }) => ({ word: long ?? '', summary: description })), { word: '--help', summary: 'describe it' }];
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
