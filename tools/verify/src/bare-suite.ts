import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { workspaceRoot } from '@market-state/launcher';
import { needsRoot, type Suite } from './harness';

const CHECK = join('tools', 'setup', 'bare-machine.mjs');
const START = { line: 'npm start', interruptAt: 'Ready:' };
const COMMAND_LINE = { line: 'rm dist/market-state.mjs && npx market-state --help' };
const TEST = { line: 'npm test' };

interface BareMachine {
  checkBareMachine(
    commands: readonly { readonly line: string; readonly interruptAt?: string }[],
    say: (line: string) => void,
  ): Promise<
    readonly {
      readonly user: string;
      readonly line: string;
      readonly passed: boolean;
      readonly outcome: string;
      readonly seconds: number;
      readonly left: readonly string[];
      readonly log: string;
    }[]
  >;
}

export const bareSuite: Suite = {
  id: 'bare',
  claim: '`npm start` and `npm test` run on a machine that has only Node and npm, and leave no process running',
  budget: { default: 1, counts: 'machines for each user' },
  short: { seed: 1, budget: 1 },
  needs: [needsRoot],
  async run({ isShort, report, say }) {
    // Loaded at run time because it is not in the bundle.
    const { checkBareMachine } = (await import(pathToFileURL(join(workspaceRoot(), CHECK)).href)) as BareMachine;
    for (const result of await checkBareMachine(isShort ? [START, COMMAND_LINE] : [START, COMMAND_LINE, TEST], say)) {
      const { user, line, passed, outcome, seconds, left, log } = result;
      report.figure(`${line} as ${user}`, `${outcome}, ${Math.round(seconds)} s`);
      report.check(passed, `${line} as ${user}: ${outcome}. Output: ${log}`);
      report.check(left.length === 0, `${line} as ${user} left processes running: ${left.join(', ')}`);
    }
  },
};
