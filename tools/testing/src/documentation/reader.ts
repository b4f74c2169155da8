import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { findPython } from '../python';
import { type BlockOutcome, LANGUAGES } from './languages';
import { blocksOf, type PageBlock } from './page-blocks';
import { runProgram } from './run-program';

/** pip and venv install the client. Blocks import the other modules, which come from this machine: nothing is downloaded. */
const PYTHON_MODULES = ['pip', 'venv', 'pandas', 'cryptography'];

/** How a block of a page went. */
export interface BlockRun extends BlockOutcome {
  readonly block: PageBlock;
  readonly tookMs: number;
}

/** Somebody who reads the documentation and pastes what it says, in a folder of their own that keeps what was installed. */
export interface Reader {
  /** Blocks that the reader leaves out: those of Python where this machine has no interpreter for them. */
  leavesOut(block: PageBlock): boolean;
  /**
   * Runs the blocks of a page that are marked so, one after the other: what a shell block exports, later ones of the page have.
   * @param given what the reader has beside that, such as a key
   */
  read(markdown: string, given?: NodeJS.ProcessEnv): Promise<readonly BlockRun[]>;
  close(): void;
}

/**
 * A reader with `market-state` on PATH as a clone of the repository has it, and Python's packages of this machine.
 * Packages are installed from the service that pages name; no registry is asked.
 */
export async function openReader({ withPython }: { readonly withPython: boolean }): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-reader-'));
  const python = withPython ? findPython(PYTHON_MODULES) : null;
  const programs = [join(folder, 'python', 'bin'), process.env['PATH'] ?? '', join(workspaceRoot(), 'node_modules', '.bin')];
  const env = { PATH: programs.join(delimiter), HOME: folder, TMPDIR: folder, ...WITHOUT_REGISTRY };
  if (python !== null) {
    const args = ['-m', 'venv', '--system-site-packages', join(folder, 'python')];
    const { exitCode, errors } = await runProgram(python, args, folder, env);
    if (exitCode !== 0) throw new Error(`No environment for Python was made: ${errors}`);
  }
  const leavesOut = ({ language, tab }: PageBlock): boolean => python === null && (language === 'python' || tab === 'Python');
  return {
    leavesOut,
    async read(markdown, given = {}) {
      const runs: BlockRun[] = [];
      const before: Record<string, string[]> = {};
      let has: NodeJS.ProcessEnv = { ...env, ...given };
      for (const block of blocksOf(markdown).filter((each) => each.runs !== null && !leavesOut(each))) {
        const run = LANGUAGES[block.language];
        if (run === undefined) throw new Error(`A block of ${block.language} is marked to run, which nothing here does.`);
        const earlier = (before[block.language] ??= []);
        const startedMs = performance.now();
        const outcome = await run(block.code, block.runs === 'on' ? earlier : [], { folder, env: has });
        runs.push({ ...outcome, block, tookMs: performance.now() - startedMs });
        if (block.runs === 'alone') earlier.length = 0;
        earlier.push(block.code);
        has = { ...has, ...outcome.exports };
      }
      return runs;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const WITHOUT_REGISTRY = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_registry: 'http://127.0.0.1:9/',
  PIP_NO_INDEX: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_ROOT_USER_ACTION: 'ignore',
};
