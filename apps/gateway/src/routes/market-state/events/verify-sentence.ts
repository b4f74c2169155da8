const CANNOT: Readonly<Record<string, string>> = {
  rows_gone: 'It cannot be derived again: the rows after the checkpoint before it are no longer kept.',
  rows_incomplete: 'It cannot be derived again: rows between the checkpoint before it and its window are missing.',
  rows_awaited: 'It cannot be derived again yet: the row that closed its window is not stored. Ask again in a few seconds.',
  checkpoint_gone: 'It cannot be derived again: no checkpoint before it is kept, and the rows do not go back to the first one.',
  checkpoint_unusable: 'It cannot be derived again: the checkpoint before it is damaged, or was written by another version.',
  other_policy: 'It cannot be derived again here: it was made under another policy than the one in force.',
};

/** What verifying a packet came to, in a sentence. */
export function verifySentence(result: 'match' | 'mismatch' | 'cannot', reason: string): string {
  if (result === 'match') return 'Derived again from the stored rows, the packet is the one that is kept, byte for byte.';
  if (result === 'mismatch')
    return (
      'Derived again from the stored rows, the packet is not the one that is kept: the rows, the checkpoint or ' +
      'the packet were changed.'
    );
  return CANNOT[reason] ?? 'It cannot be derived again.';
}
