import { symbolsOf, useCatalog } from '../service/use-catalog';

/** Suggestions of the search: the symbols of the catalog. */
export function SymbolList({ id }: { readonly id: string }) {
  const { data } = useCatalog();
  return (
    <datalist id={id}>
      {(data === undefined ? [] : symbolsOf(data)).map((symbol) => (
        <option key={symbol} value={symbol} />
      ))}
    </datalist>
  );
}
