import { SYMBOL_FORM } from './instrument-rows';

/** Files of recordings, in the order in which they are played, by symbol. */
export type FilesBySymbol = Readonly<Record<string, readonly string[]>>;

/** Names of the files that come with the product, in the folder `recordings/binance-coinm`, in order. */
export const bundledFiles: FilesBySymbol = {
  'BTCUSD-PERP': ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'],
  'ETHUSD-PERP': ['ethusd_perp_20240808.gz', 'ethusd_perp_20240809.gz'],
};

/**
 * Reads `SYMBOL=path[,path2];SYMBOL2=...`.
 * @returns what can be read of it, and a sentence for each part that can't
 */
export function parseFeedFile(text: string): { readonly files: FilesBySymbol; readonly faults: readonly string[] } {
  const files: Record<string, readonly string[]> = {};
  const faults: string[] = [];
  for (const part of text.split(';').filter((each) => each.trim() !== '')) {
    const [symbol = '', list = '', ...more] = part.split('=').map((each) => each.trim());
    const paths = [list, ...more]
      .join('=')
      .split(',')
      .map((path) => path.trim());
    if (symbol === '' || paths.includes('')) faults.push(`${JSON.stringify(part)} is not SYMBOL=path[,path]`);
    else if (!SYMBOL_FORM.test(symbol)) faults.push(`${JSON.stringify(symbol)} is no symbol: <BASE>USD-PERP`);
    else if (files[symbol] !== undefined) faults.push(`${symbol} is given twice`);
    else files[symbol] = paths;
  }
  if (Object.keys(files).length === 0 && faults.length === 0) faults.push('names no recording');
  return { files, faults };
}
