import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { workspaceRoot } from '@market-state/launcher';
import type { Suite } from '../harness';

const CHECK = join('tools', 'setup', 'bare-machine.mjs');

interface BareMachine {
  /** Runs both commands where nothing is installed. @throws Error that says what went wrong */
  checkBareMachine(root: string, say: (line: string) => void, options: { readonly isShort: boolean }): Promise<void>;
}

/** The two commands of the README where nothing but Node with npm is installed. */
export const bareSuite: Suite = {
  id: 'bare',
  claim: '`npm start` and `npm test` run on a machine that has Node and npm and nothing else, and leave no process',
  budget: { default: 1, counts: 'machines for each user' },
  short: { seed: 1, budget: 1 },
  needs: [() => (existsSync(join(workspaceRoot(), CHECK)) ? undefined : `no ${CHECK}`)],
  async run({ isShort, report, say }) {
    // Loaded when it runs: it is no part of the bundle.
    const { checkBareMachine } = (await import(pathToFileURL(join(workspaceRoot(), CHECK)).href)) as BareMachine;
    await checkBareMachine(workspaceRoot(), say, { isShort }).catch((error: Error) => report.fail(error.message));
  },
};
