import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const depConstraints = [
  { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:contracts', 'type:domain', 'type:platform'] },
  { sourceTag: 'type:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:domain', onlyDependOnLibsWithTags: ['type:domain'] },
  { sourceTag: 'type:platform', onlyDependOnLibsWithTags: ['type:platform'] },
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: ['type:app', 'type:contracts', 'type:domain', 'type:platform', 'type:tool'] },
  { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['type:contracts', 'type:domain', 'type:platform', 'type:tool', 'type:app'] },
];

/** Tests and benchmarks may boot things and look at them from outside, on top of what their project may import. */
const testDepConstraints = depConstraints.map(({ sourceTag, onlyDependOnLibsWithTags }) => ({
  sourceTag,
  onlyDependOnLibsWithTags: [...onlyDependOnLibsWithTags, 'type:testing'],
}));

const boundaries = (constraints) => ['error', { allow: [], depConstraints: constraints, enforceBuildableLibDependency: false }];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/generated/**', '**/node_modules/**', '.data/**', '.nx/**'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.mts', '**/*.mjs', '**/*.cjs'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(depConstraints),
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      eqeqeq: 'error',
      'no-restricted-globals': ['error', 'event', 'name'],
    },
  },
  {
    files: ['**/*.test.ts', '**/tests/**/*.ts', '**/bench/**/*.ts'],
    rules: { '@nx/enforce-module-boundaries': boundaries(testDepConstraints) },
  },
  {
    // Settings of a tool, which belong to no app's own code.
    files: ['apps/*/prisma.config.ts'],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  {
    files: ['**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['libs/domain/**/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: ['fs', 'net', 'http', 'https', 'child_process', 'os', 'worker_threads', 'dns'].flatMap((name) => [name, `node:${name}`]) },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Domain code reads no clock.' },
        { object: 'Math', property: 'random', message: 'Domain code draws no random numbers.' },
        { object: 'process', property: 'env', message: 'Domain code reads no environment.' },
      ],
    },
  },
);
