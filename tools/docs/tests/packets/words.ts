import { loadPolicy } from '@market-state/labeler';
import type { WordKind } from '../../src/packets/packet-file';

/** The policy that ships. */
export const policy = loadPolicy();

const KINDS: readonly WordKind[] = ['states', 'event_classes'];

/** Every word of the taxonomy that has a page: its kind, and what it is. */
export const WORDS: readonly (readonly [word: string, kind: WordKind])[] = KINDS.flatMap((kind) =>
  (policy.files.taxonomy[kind] ?? []).map(({ value }) => [value, kind] as const),
);
