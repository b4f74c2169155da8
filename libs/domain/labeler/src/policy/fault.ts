/** One thing wrong with a policy file. */
export interface PolicyFault {
  /** File name, with `.json`. */
  readonly file: string;
  /** Line from 1; null where the file was not given as text. */
  readonly line: number | null;
  /** Where in the file, as `thresholds.flow.watch` or `groups[0].family`; '' is the whole file. */
  readonly path: string;
  /** A sentence that begins with the path. */
  readonly message: string;
}

/** The policy files cannot be used. Holds every fault found; its message lists them a line each, as `file.json:LINE: sentence`. */
export class PolicyError extends Error {
  readonly faults: readonly PolicyFault[];

  constructor(faults: readonly PolicyFault[]) {
    super(faults.map(({ file, line, message }) => `${file}:${line === null ? '' : `${line}:`} ${message}`).join('\n'));
    this.name = 'PolicyError';
    this.faults = faults;
  }
}

/** Collects what is wrong at a place of a file: a JSON pointer, and what is to be said of what stands there. */
export type Report = (pointer: string, says: string) => void;

/** A JSON pointer as people write it: `/groups/0/family` is `groups[0].family`. */
function dottedPath(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts
    .map((part, i) => (/^\d+$/.test(part) ? `[${part}]` : `${i === 0 ? '' : '.'}${part.replaceAll('~1', '/').replaceAll('~0', '~')}`))
    .join('');
}

/** The fault that a report makes. */
export function faultAt(file: string, line: number | null, pointer: string, says: string): PolicyFault {
  const path = dottedPath(pointer);
  return { file, line, path, message: path === '' ? `the file ${says}` : `${path} ${says}` };
}
