import type { FileTarget } from './target';

/** Browsers have no folder to write to. @throws always */
export function openTarget(_folder: string, name: string, _sha256: string): Promise<FileTarget> {
  return Promise.reject(new Error(`Writing ${name} to a folder requires Node. In a browser, read it with exports.file.`));
}
