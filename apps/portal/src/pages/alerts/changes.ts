import { conditionText, type Rule, ruleWords, settingWords } from './rule';

/** What of an alert or a watchlist its owner can change. */
export interface Draft {
  readonly name: string;
  readonly symbols: readonly string[];
  readonly rules: readonly Rule[];
  readonly muted: boolean;
}

/** What saving a draft would change of what is saved, a sentence each; empty where nothing would. */
export function changesOf(saved: Draft, draft: Draft): readonly string[] {
  const ended = saved.symbols.filter((symbol) => !draft.symbols.includes(symbol));
  const begun = draft.symbols.filter((symbol) => !saved.symbols.includes(symbol));
  return [
    ...(saved.name === draft.name ? [] : [`Its name was ${saved.name}, and becomes ${draft.name}.`]),
    ...(ended.length === 0 ? [] : [`No longer watched: ${ended.join(', ')}.`]),
    ...(begun.length === 0 ? [] : [`Watched from the next packet on: ${begun.join(', ')}.`]),
    ...ruleChanges(saved.rules, draft.rules),
    ...(saved.muted === draft.muted ? [] : [draft.muted ? 'It sends no more messages until it is unmuted.' : 'It sends messages again.']),
  ];
}

/** A rule that looks at the same thing goes on where it stands, with its new settings; any other begins afresh, as the service has it. */
function ruleChanges(saved: readonly Rule[], drafts: readonly Rule[]): readonly string[] {
  const left = [...saved];
  const begun: string[] = [];
  const set: string[] = [];
  for (const rule of drafts) {
    const at = left.findIndex((each) => conditionText(each) === conditionText(rule));
    const [before] = at < 0 ? [] : left.splice(at, 1);
    if (before === undefined)
      begun.push(`Begins: ${ruleWords(rule)}, told ${settingWords(rule)}. What holds on its first packet is not told.`);
    else if (settingWords(before) !== settingWords(rule))
      set.push(`Goes on: ${ruleWords(rule)}. It was told ${settingWords(before)}, and will be told ${settingWords(rule)}.`);
  }
  return [...left.map((rule) => `Ends: ${ruleWords(rule)}, told ${settingWords(rule)}.`), ...begun, ...set];
}
