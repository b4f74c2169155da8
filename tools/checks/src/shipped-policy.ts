import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePolicy, policyFileNames } from '@market-state/labeler';

const FOLDER = 'libs/domain/labeler/policy';

/**
 * Holds the policy files of this workspace against their schemas and against each other, which the programs that carry them leave out.
 * @throws Error with every fault, file and line
 */
export function checkShippedPolicy(root: string): void {
  try {
    parsePolicy(Object.fromEntries(policyFileNames.map((name) => [name, readFileSync(join(root, FOLDER, name), 'utf8')])));
  } catch (error) {
    throw new Error(`The files in ${FOLDER} are no policy:\n${(error as Error).message}`, { cause: error });
  }
}
