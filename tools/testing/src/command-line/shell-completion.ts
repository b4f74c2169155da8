import { execFileSync, spawnSync } from 'node:child_process';

/** Shells that complete command lines of `market-state`. */
export const SHELLS = ['bash', 'fish', 'zsh'] as const;
export type Shell = (typeof SHELLS)[number];

const TIME_LIMIT_MS = 300_000;

const BASH = [
  'source <(market-state completion bash)',
  'ask() { COMP_WORDS=(market-state "$@"); COMP_CWORD=$#; _market_state; echo "${COMPREPLY[*]}"; }',
  'ask get bo; ask get book ""',
].join('\n');

const FISH = 'market-state completion fish | source; complete -C "market-state get bo"; complete -C "market-state get book B"';

/** Types a line into an interactive shell: what its completion makes of it is printed by a widget of our own. */
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

/**
 * What a shell makes of `market-state get bo` and of the symbol after `get book` (in zsh of `get book ET` alone), as it prints it.
 * @param env with a PATH on which `market-state` is
 */
export function completionsIn(shell: Shell, env: NodeJS.ProcessEnv, cwd: string): string {
  return execFileSync(shell, [...COMMANDS[shell]], { env, cwd, encoding: 'utf8', timeout: TIME_LIMIT_MS });
}
