/** What kind of data a response state is, as a light, a word and a sentence. */
export interface SourceWords {
  readonly word: string;
  readonly sentence: string;
}

const WORDS: Readonly<Record<string, SourceWords>> = {
  live: { word: 'live', sentence: 'From the live venue.' },
  recorded_replay: { word: 'recorded', sentence: 'A recording of a real market, moved to now: not what the venue says now.' },
  synthetic: { word: 'simulated', sentence: 'Made by a simulated venue: no real market.' },
  delayed_sandbox: { word: 'delayed', sentence: 'At least ten minutes old: a sandbox key sees nothing newer.' },
  not_reported: { word: 'not reported', sentence: 'Which kind of source the rows come from is not reported.' },
  preview: { word: 'preview', sentence: 'At least ten minutes old, as shown without a key.' },
};

/** Kinds of response of rows, by the kind of their source. */
const RESPONSES: Readonly<Record<string, string>> = { recorded: 'recorded_replay', simulated: 'synthetic' };

/** The response state of rows that a source of such a kind gave. */
export function responseOfSource(sourceKind: string): string {
  return RESPONSES[sourceKind] ?? sourceKind;
}

/** The words of a response state; one that this version does not know is said as it is. */
export function sourceWords(responseState: string): SourceWords {
  return WORDS[responseState] ?? { word: responseState.replaceAll('_', ' '), sentence: '' };
}
