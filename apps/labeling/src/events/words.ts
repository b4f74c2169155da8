/**
 * The words of a text as the index has them: what stands between other characters than letters and digits, in lower case, without
 * numbers. The function `event_facts` of the database does the same.
 */
function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => /[a-z]/.test(word)),
  );
}

/** Where a word stands in a packet. */
export interface FoundWord {
  readonly word: string;
  readonly inState: boolean;
  readonly tags: readonly string[];
  readonly reasons: readonly string[];
}

/** What of a packet's body is searched by words. */
interface Searched {
  readonly state: string;
  readonly tags: readonly string[];
  readonly reason_details: readonly { readonly claim: string }[];
}

/** Where each of the words stands in the packet with this body. */
export function findWords(words: readonly string[], body: string): FoundWord[] {
  if (words.length === 0) return [];
  const { state, tags, reason_details: reasons } = JSON.parse(body) as Searched;
  const withWords = (text: string) => ({ text, held: wordsOf(text) });
  const told = { state: wordsOf(state), tags: tags.map(withWords), reasons: reasons.map(({ claim }) => withWords(claim)) };
  const holding = (texts: typeof told.tags, word: string): string[] => texts.filter(({ held }) => held.has(word)).map(({ text }) => text);
  return words.map((word) => ({
    word,
    inState: told.state.has(word),
    tags: holding(told.tags, word),
    reasons: holding(told.reasons, word),
  }));
}
