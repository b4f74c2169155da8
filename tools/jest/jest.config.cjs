const { join } = require('node:path');

const root = join(__dirname, '..', '..');
const folders = ['apps', 'libs', 'tools'].map((folder) => `<rootDir>/${folder}`);

/** Packages that come as ES modules only, which Jest has to translate. */
const esmOnly = '(?:d3-[a-z-]+|internmap)';

/** One Jest run over the whole workspace: `npx jest -c tools/jest/jest.config.cjs [path]`. */
module.exports = {
  rootDir: root,
  roots: folders,
  testEnvironment: 'node',
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/generated/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } }],
    [`/node_modules/${esmOnly}/.+\\.js$`]: ['@swc/jest', { jsc: { target: 'es2022' }, module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: [`/node_modules/(?!${esmOnly}/)`],
  globalSetup: join(__dirname, 'global-setup.ts'),
  globalTeardown: join(__dirname, 'global-teardown.ts'),
  testSequencer: join(__dirname, 'side-by-side.cjs'),
  // A test that hangs ends the run; it is no bound on how long work may take on a machine that has other work.
  testTimeout: 300_000,
  // More would slow down the proofs that measure what a loaded gateway does.
  maxWorkers: 2,
};
