import facts from '../../policy/facts.json';
import guidance from '../../policy/guidance.json';
import lanes from '../../policy/lanes.json';
import numbers from '../../policy/numbers.json';
import reasons from '../../policy/reasons.json';
import routes from '../../policy/routes.json';
import tags from '../../policy/tags.json';
import taxonomy from '../../policy/taxonomy.json';
import texts from '../../policy/texts.json';
import versions from '../../policy/versions.json';

/** Policy files by name, without `.json`. `policy_digest` covers exactly these. */
export const POLICY_FILES = [
  'facts',
  'guidance',
  'lanes',
  'numbers',
  'reasons',
  'routes',
  'tags',
  'taxonomy',
  'texts',
  'versions',
] as const;
export type PolicyFileName = (typeof POLICY_FILES)[number];

export const policyFileNames: readonly string[] = POLICY_FILES.map((file) => `${file}.json`);

type PolicyFiles = Readonly<Record<PolicyFileName, unknown>>;

export const SHIPPED_POLICY_FILES: PolicyFiles = { facts, guidance, lanes, numbers, reasons, routes, tags, taxonomy, texts, versions };

/** Files that a file's rules refer to: without one of them, only the file's own schema is checked. */
export const REFERS_TO: Readonly<Record<PolicyFileName, readonly PolicyFileName[]>> = {
  facts: ['taxonomy'],
  guidance: ['facts', 'taxonomy'],
  lanes: ['facts', 'taxonomy'],
  numbers: [],
  reasons: ['facts', 'lanes', 'routes', 'taxonomy'],
  routes: ['taxonomy'],
  tags: ['facts', 'taxonomy'],
  taxonomy: ['numbers'],
  texts: ['facts', 'taxonomy'],
  versions: [],
};

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
