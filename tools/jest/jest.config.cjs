const { join } = require('node:path');

const root = join(__dirname, '..', '..');
const folders = ['apps', 'libs', 'tools'].map((folder) => `<rootDir>/${folder}`);

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
  },
  globalSetup: join(__dirname, 'global-setup.ts'),
  globalTeardown: join(__dirname, 'global-teardown.ts'),
  maxWorkers: 2,
};
