import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { endProcess, openFolder, spawnOwned, sumOf } from '@market-state/testing';
import { type Need, firstOf, type Suite, type SuiteContext } from './suite';

const SHOWN_MAX = 20;
const MESSAGE_CHARS_MAX = 1_000;
/** Jest runs no path that its settings don't match, and those of the target `test` match only `.test.ts`. */
const TEST_MATCH = '--testMatch=**/*.{test,verify}.ts';

export interface TestFiles extends Pick<Suite, 'id' | 'claim'> {
  /** Paths relative to the workspace root. */
  readonly files: () => readonly string[];
  readonly budget?: Suite['budget'];
  readonly short?: Suite['short'];
  readonly needs?: readonly Need[];
  readonly env?: (context: SuiteContext) => NodeJS.ProcessEnv;
}

interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/**
 * Runs Jest on test files that `npm test` excludes, or on others with different settings. `--only` selects by part of a
 * path.
 */
export function jestSuite({ id, claim, files, budget, short, needs = [], env = () => ({}) }: TestFiles): Suite {
  return {
    id,
    claim,
    budget: budget ?? { default: 1, counts: 'run of every file' },
    short: short ?? { seed: 1, budget: 1 },
    needs: [...needs, () => (files().length === 0 ? 'no such files' : undefined)],
    async run(context) {
      const { report, only = '' } = context;
      const chosen = files().filter((file) => file.includes(only));
      report.check(chosen.length > 0, `No test file path contains "${only}".`);
      if (chosen.length > 0) judge(context, chosen, await runJest(context, chosen, env(context)));
    },
  };
}

/** Test files below these folders with a file name ending, relative to the workspace root. */
export function testFilesIn(folders: readonly string[], ending: string): readonly string[] {
  const root = workspaceRoot();
  const inFolder = (folder: string): string[] =>
    existsSync(folder)
      ? readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
          const path = join(folder, entry.name);
          if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : inFolder(path);
          return entry.name.endsWith(ending) ? [relative(root, path)] : [];
        })
      : [];
  return folders.flatMap((folder) => inFolder(join(root, folder))).sort();
}

/** Runs the files by project, as the target `test` does. @throws Error if Jest exits without a report */
async function runJest(context: SuiteContext, files: readonly string[], env: NodeJS.ProcessEnv): Promise<JestReport> {
  const byProject = Map.groupBy(files, (file) => /^(?:libs\/(?:domain|platform)\/)?[^/]+\/[^/]+/.exec(file)?.[0] ?? file);
  const reports: JestReport[] = [];
  for (const [project, own] of byProject) reports.push(await runProject(context, project, own, env));
  const sum = (count: (report: JestReport) => number): number => sumOf(reports.map(count));
  return {
    numPassedTests: sum(({ numPassedTests }) => numPassedTests),
    numFailedTests: sum(({ numFailedTests }) => numFailedTests),
    numPendingTests: sum(({ numPendingTests }) => numPendingTests),
    testResults: reports.flatMap(({ testResults }) => testResults),
  };
}

async function runProject(
  { closer, say }: SuiteContext,
  project: string,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<JestReport> {
  const root = workspaceRoot();
  const file = join(openFolder(closer), 'report.json');
  const paths = files.map((path) => join(root, path));
  const args = [join(root, 'tools', 'jest', 'run.mjs'), project, `--outputFile=${file}`, TEST_MATCH, '--runTestsByPath', ...paths];
  const run = spawnOwned(process.execPath, args, {
    cwd: root,
    env: { ...process.env, FORCE_COLOR: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  closer.add('Jest', () => endProcess(run, 'SIGTERM'));
  let said = '';
  run.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    for (const line of text.split('\n')) if (/^(PASS|FAIL) /.test(line)) say(line);
  });
  const [code] = (await once(run, 'close')) as [number | null];
  if (!existsSync(file)) throw new Error(`Jest exited with ${code} and no report:\n${said.slice(-MESSAGE_CHARS_MAX)}`);
  return JSON.parse(readFileSync(file, 'utf8')) as JestReport;
}

function judge({ report }: SuiteContext, files: readonly string[], found: JestReport): void {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = found;
  const ran = new Set(testResults.map(({ name }) => relative(workspaceRoot(), name)));
  report.fail(...files.filter((file) => !ran.has(file)).map((file) => `${file} did not run.`));
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const path = relative(workspaceRoot(), name);
    const failed = assertionResults.filter((result) => result.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${path}: ${message.slice(0, MESSAGE_CHARS_MAX)}`] : [];
    return failed.map(({ fullName, failureMessages }) => `${path}: ${fullName}\n${(failureMessages[0] ?? '').slice(0, MESSAGE_CHARS_MAX)}`);
  });
  report.fail(...firstOf(failures, SHOWN_MAX));
  report.figure('tests passed, failed, skipped', `${numPassedTests}, ${numFailedTests}, ${numPendingTests}`);
}
