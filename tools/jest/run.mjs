/**
 * Runs the tests of one project: `node tools/jest/run.mjs libs/domain/labeler [options of Jest]`. Without
 * `--outputFile`, the report goes to dist/test-results for the summary of `npm test`.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const [project, ...options] = process.argv.slice(2);
const folder = join(root, project);
const report = join(root, 'dist', 'test-results', `${project}.json`);
mkdirSync(dirname(report), { recursive: true });

const child = spawn(
  process.execPath,
  [
    '--import=@oxc-node/core/register',
    '--max-semi-space-size=64',
    // With other projects on the same cores, extra threads for compilation and garbage collection only cost CPU.
    '--single-threaded',
    join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
    `--config=${join(root, 'jest.config.mjs')}`,
    `--rootDir=${folder}`,
    '--ci',
    '--forceExit',
    '--json',
    ...(options.some((option) => option.startsWith('--outputFile=')) ? [] : [`--outputFile=${report}`]),
    ...options,
  ],
  {
    cwd: folder,
    stdio: 'inherit',
    env: {
      ...process.env,
      // Nx requests colors, which would also color the output of programs under test.
      FORCE_COLOR: '0',
      OXC_TSCONFIG_PATH: join(folder, 'tsconfig.json'),
      MARKET_STATE_ROOT: root,
    },
  },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
