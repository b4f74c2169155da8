import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePolicy, policyFileNames } from '@market-state/labeler';

const FOLDER = 'libs/domain/labeler/policy';

/** Checks the policy files, which the programs that contain them do not. */
try {
  parsePolicy(
    Object.fromEntries(policyFileNames.map((name) => [name, readFileSync(join(import.meta.dirname, '../..', FOLDER, name), 'utf8')])),
  );
} catch (error) {
  process.stderr.write(`The files in ${FOLDER} are not a valid policy:\n${(error as Error).message}\n`);
  process.exitCode = 1;
}
