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
