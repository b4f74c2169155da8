import { useCatalog } from '../service/use-catalog';
import { Ribbon } from './ribbon';
import { responseOfSource, sourceWords } from './source-words';

/** Which of some symbols are not of a live venue, by what they are instead; nothing where all of them are. */
export function SymbolSources({ symbols }: { readonly symbols: readonly string[] }) {
  const catalog = useCatalog();
  const known = (catalog.data?.symbols ?? []).filter(({ symbol }) => symbols.includes(symbol));
  const kinds = [...new Set(known.map(({ source_kind: kind }) => kind))].filter((kind) => responseOfSource(kind) !== 'live');
  if (kinds.length === 0) return null;
  return (
    <Ribbon>
      {kinds.map((kind) => {
        const { word, sentence } = sourceWords(responseOfSource(kind));
        const named = known.flatMap(({ symbol, source_kind: each }) => (each === kind ? [symbol] : []));
        return (
          <span key={kind}>
            <b>{word}</b> {named.join(', ')}: {sentence}{' '}
          </span>
        );
      })}
    </Ribbon>
  );
}
