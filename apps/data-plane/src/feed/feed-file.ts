import { existsSync } from 'node:fs';

/** Files of recordings, in the order in which they are played, by symbol. */
export type FilesBySymbol = Readonly<Record<string, readonly string[]>>;

/**
 * Reads `SYMBOL=path[,path2];SYMBOL2=...`.
 * @returns what can be read of it, and a sentence for each part that can't
 */
export function parseFeedFile(text: string): { readonly files: FilesBySymbol; readonly faults: readonly string[] } {
  const files: Record<string, readonly string[]> = {};
  const faults: string[] = [];
  for (const part of text.split(';').filter((each) => each.trim() !== '')) {
    const [symbol = '', list = '', ...more] = part.split('=').map((each) => each.trim());
    const paths = [list, ...more].join('=').split(',').map((path) => path.trim());
    if (symbol === '' || paths.includes('')) faults.push(`${JSON.stringify(part)} is not SYMBOL=path[,path]`);
    else if (files[symbol] !== undefined) faults.push(`${symbol} is given twice`);
    else files[symbol] = paths;
  }
  if (Object.keys(files).length === 0 && faults.length === 0) faults.push('names no recording');
  return { files, faults };
}

/** The files that are not there. */
export function missingFiles(files: FilesBySymbol): string[] {
  return Object.values(files)
    .flat()
    .filter((file) => !existsSync(file));
}
