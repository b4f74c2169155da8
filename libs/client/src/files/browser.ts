import type { FileTarget } from './target';

/** A page has no folder to write to. @throws always */
export function openTarget(_folder: string, name: string, _sha256: string): Promise<FileTarget> {
  return Promise.reject(new Error(`${name} can be written to a folder in Node only. Read it with exports.file.`));
}
