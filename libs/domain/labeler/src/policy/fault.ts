export interface PolicyFault {
  readonly file: string;
  /** 1-based line; null if the file was not given as text. */
  readonly line: number | null;
  /** Such as `thresholds.flow.watch` or `groups[0].family`; '' for the whole file. */
  readonly path: string;
  readonly message: string;
}

/** The message lists every fault, one per line, as `file.json:LINE: sentence`. */
export class PolicyError extends Error {
  readonly faults: readonly PolicyFault[];

  constructor(faults: readonly PolicyFault[]) {
    super(faults.map(({ file, line, message }) => `${file}:${line === null ? '' : `${line}:`} ${message}`).join('\n'));
    this.name = 'PolicyError';
    this.faults = faults;
  }
}

/** Reports a fault at a JSON pointer; the sentence continues from the path. */
export type Report = (pointer: string, says: string) => void;

/** `/groups/0/family` becomes `groups[0].family`. */
function dottedPath(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts
    .map((part, i) => (/^\d+$/.test(part) ? `[${part}]` : `${i === 0 ? '' : '.'}${part.replaceAll('~1', '/').replaceAll('~0', '~')}`))
    .join('');
}

export function faultAt(file: string, line: number | null, pointer: string, says: string): PolicyFault {
  const path = dottedPath(pointer);
  return { file, line, path, message: path === '' ? `the file ${says}` : `${path} ${says}` };
}
