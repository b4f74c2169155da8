import type { ReactNode } from 'react';
import styles from './conditions.module.css';
import { useCatalog } from '../service/use-catalog';

/** A symbol and the kind of the source that its rows come from; null where that is not reported. */
export interface SymbolSource {
  readonly symbol: string;
  readonly source_kind: string | null;
}

/** Which of some symbols are not of a live venue, by what they are instead; nothing where all of them are. */
export function SourcesRibbon({ sources }: { readonly sources: readonly SymbolSource[] }) {
  const kinds = [...new Set(sources.map(({ source_kind: kind }) => kind))].filter(
    (kind) => kind === null || responseOfSource(kind) !== 'live',
  );
  if (kinds.length === 0) return null;
  return (
    <Ribbon>
      {kinds.map((kind) => {
        const { word, sentence } = sourceWords(kind === null ? 'not_reported' : responseOfSource(kind));
        const named = sources.flatMap(({ symbol, source_kind: each }) => (each === kind ? [symbol] : []));
        return (
          <span key={kind}>
            <b>{word}</b> {named.join(', ')}: {sentence}{' '}
          </span>
        );
      })}
    </Ribbon>
  );
}

/** The same of what is received now, as the catalog says. */
export function SymbolSources({ symbols }: { readonly symbols: readonly string[] }) {
  const catalog = useCatalog();
  return <SourcesRibbon sources={(catalog.data?.symbols ?? []).filter(({ symbol }) => symbols.includes(symbol))} />;
}

/** What kind of data a response state is, as a light, a word and a sentence. */
interface SourceWords {
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

/** A line over data that are not what a reader would take them for: recorded, simulated, delayed or stale. */
function Ribbon({ children }: { readonly children: ReactNode }) {
  return (
    <p className={styles['ribbon']} role="note">
      {children}
    </p>
  );
}

/** What of the data shown is not of a live venue, once for each kind; nothing where all of it is. */
export function SourceRibbon({ states }: { readonly states: readonly string[] }) {
  const kinds = [...new Set(states)].filter((state) => state !== 'live').map(sourceWords);
  if (kinds.length === 0) return null;
  return (
    <Ribbon>
      {kinds.map(({ word, sentence }) => (
        <span key={word}>
          <b>{word}</b> {sentence}{' '}
        </span>
      ))}
    </Ribbon>
  );
}
