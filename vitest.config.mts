import { defineConfig } from 'vitest/config';
import { SideBySide, WORKERS } from './tools/vitest/side-by-side.mts';

/** One run over the whole workspace: `npx vitest run [path]`. */
export default defineConfig({
  test: {
    globals: true,
    include: ['{apps,libs,tools}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/generated/**'],
    globalSetup: './tools/vitest/global-setup.ts',
    setupFiles: './tools/vitest/equal-bytes.ts',
    sequence: { sequencer: SideBySide },
    pool: 'forks',
    // A worker keeps the modules that it has loaded for the files that follow: loading them for each took as long as the tests.
    isolate: false,
    maxWorkers: WORKERS,
    // With what V8 takes for new objects by default, workers copy the same ones over and over: a twentieth of all their work.
    execArgv: ['--max-semi-space-size=64'],
    // A test that hangs ends the run; it is no bound on how long work may take on a machine that has other work.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 60_000,
  },
});
