import type { Fault } from '../arguments/cli-command';
import { textOption, type Options } from '../arguments/values';

export const SCOPE_WORDS = ['read', 'export', 'automation', 'account'] as const;
export type ScopeWord = (typeof SCOPE_WORDS)[number];

/** What a key may be used for: a comma list. */
export function scopesOption(options: Options, fault: Fault): readonly ScopeWord[] {
  const words = (textOption(options, 'scopes') ?? '').split(',').map((word) => word.trim());
  const unknown = words.filter((word) => !SCOPE_WORDS.some((known) => known === word));
  if (unknown.length > 0) fault(`--scopes must be a comma list of ${SCOPE_WORDS.join(', ')}, not ${JSON.stringify(unknown.join(','))}`);
  return SCOPE_WORDS.filter((word) => words.includes(word));
}
