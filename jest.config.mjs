/** Jest for one project at a time: `nx test <project>`, or `npx jest` in the project's folder (CONTRIBUTING). */
export default {
  runner: 'jest-light-runner',
  maxWorkers: 1,
  transform: {},
  testMatch: ['<rootDir>/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/generated/'],
  modulePathIgnorePatterns: ['/dist/'],
  setupFilesAfterEnv: [new URL('tools/jest/setup.mjs', import.meta.url).pathname],
};
