import { useCatalog } from '../service/use-catalog';
import { Ribbon } from './ribbon';
import { responseOfSource, sourceWords } from './source-words';

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
