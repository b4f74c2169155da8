import { loadPolicy } from '@market-state/labeler';
import type { WordKind } from '../../src/packets/packet-file';

export const policy = loadPolicy();

const KINDS: readonly WordKind[] = ['states', 'event_classes'];

/** Every word of the taxonomy with a page, and its kind. */
export const WORDS: readonly (readonly [word: string, kind: WordKind])[] = KINDS.flatMap((kind) =>
  (policy.files.taxonomy[kind] ?? []).map(({ value }) => [value, kind] as const),
);
