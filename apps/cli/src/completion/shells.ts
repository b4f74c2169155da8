export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** How each shell asks what may come next: `market-state __complete <words…>` prints a line for each, with a tab before what it is. */
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

/** The script that a shell reads. */
export function scriptOf(shell: Shell): string {
  return SCRIPTS[shell];
}
