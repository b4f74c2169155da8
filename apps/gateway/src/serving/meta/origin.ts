import type { SourceKindName } from './meta';

const ORIGINS: Readonly<Record<SourceKindName, string>> = {
  live: 'the venue',
  recorded: 'a re-timed recording',
  simulated: 'a simulated venue',
  unknown: 'a source that does not say what it is',
};

/** Where things of these kinds of source come from, in words; each origin once, in the order given. */
export function originOf(kinds: readonly SourceKindName[]): string {
  return [...new Set(kinds)].map((kind) => ORIGINS[kind]).join(' and ');
}
