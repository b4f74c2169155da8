import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const depConstraints = [
  { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:client', 'type:contracts', 'type:domain', 'type:platform', 'type:reads'] },
  // The page in a browser reaches the service through the SDK alone.
  { sourceTag: 'type:portal', onlyDependOnLibsWithTags: ['type:client', 'type:domain'] },
  { sourceTag: 'type:client', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:contracts', onlyDependOnLibsWithTags: [] },
  // Answers of a service, made of the domain in the words of the contracts, for whoever gives them.
  { sourceTag: 'type:reads', onlyDependOnLibsWithTags: ['type:contracts', 'type:domain', 'type:reads'] },
  { sourceTag: 'type:domain', onlyDependOnLibsWithTags: ['type:domain'] },
  { sourceTag: 'type:platform', onlyDependOnLibsWithTags: ['type:platform'] },
  {
    sourceTag: 'type:testing',
    onlyDependOnLibsWithTags: ['type:app', 'type:client', 'type:contracts', 'type:domain', 'type:platform', 'type:reads', 'type:tool'],
  },
  {
    sourceTag: 'type:tool',
    onlyDependOnLibsWithTags: ['type:client', 'type:contracts', 'type:domain', 'type:platform', 'type:reads', 'type:tool', 'type:app'],
  },
];

/** Tests, benchmarks and proofs may boot things and look at them from outside, on top of what their project may import. */
const testDepConstraints = depConstraints.map(({ sourceTag, onlyDependOnLibsWithTags }) => ({
  sourceTag,
  onlyDependOnLibsWithTags: [...onlyDependOnLibsWithTags, 'type:testing'],
}));

/** What domain code may import, as regular expressions: itself, its neighbours, and pure functions of others. */
const domainImports = [
  String.raw`\.{1,2}/.+`,
  '@market-state/(?:market-data|labeler(?:/(?:lineage|names|recompute))?|scenarios|report|packet-figures|credentials|packet-views|pricing|alert-rules|service-figures|webhook-signing)',
  'node:(?:buffer|crypto|string_decoder|zlib)',
  '#(?:bytes|ed25519|hash)',
  String.raw`@noble/(?:ed25519|hashes/(?:sha2|utils)\.js)`,
  'ajv',
  'd3-scale',
  'yaml',
  'zod',
];

/** What domain code may not use of what is there everywhere. */
const domainGlobals = [
  'event',
  'name',
  'performance',
  'process',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'crypto',
  'require',
];

/** The registry of services belongs to no project: whatever lists them reads it. */
const registry = String.raw`^(?:\.\./)+services\.json$`;

/** Files that the bundler makes for the portal, which are no project's sources. */
const portalSample = String.raw`^(?:\.\./)+dist/portal-sample/`;

/** Names of the SDK's calls, which the generators of clients and documents share. */
const clientNames = String.raw`^(?:\.\./)+generate/client-names\.mjs$`;

const boundaries = (constraints) => [
  'error',
  {
    allow: [registry, portalSample, clientNames, '^#(?:files|bytes|ed25519|hash)$'],
    depConstraints: constraints,
    enforceBuildableLibDependency: false,
  },
];

/** What would show a time in the portal without the zone that the reader has chosen. */
const ownClocks = [
  {
    selector: "ImportDeclaration[source.value='@market-state/packet-figures'] > ImportSpecifier[imported.name='utc']",
    message: 'Times are written by src/time alone.',
  },
  {
    selector:
      'MemberExpression[property.name=/^(?:getTimezoneOffset|to(?:Locale)?(?:Date|Time)String|toUTCString|get(?:UTC)?(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds))$/]',
    message: 'Times are written by src/time alone.',
  },
  { selector: "MemberExpression[object.name='Intl'][property.name='DateTimeFormat']", message: 'Times are written by src/time alone.' },
  {
    selector: "CallExpression[callee.property.name=/^(?:slice|substring|split)$/][callee.object.callee.property.name='toISOString']",
    message: 'Times are written by src/time alone.',
  },
  {
    selector:
      'CallExpression[callee.property.name=/^(?:slice|substring|split)$/] > MemberExpression > MemberExpression[property.name=/_utc$/]',
    message: 'Times are written by src/time alone.',
  },
  {
    selector: 'JSXElement > JSXExpressionContainer > MemberExpression[property.name=/_utc$/]',
    message: 'Times are written by src/time alone.',
  },
  {
    selector: "JSXElement > JSXExpressionContainer > CallExpression[callee.name='urlTime']",
    message: 'Times are written by src/time alone.',
  },
  ...['JSXText[value', 'Literal[value', 'TemplateElement[value.raw'].map((node) => ({
    selector: `${node}=/^(?![^]*[dD]ay)[^]*\\bUTC\\b/]`,
    message: 'The zone of a time is said by src/time alone; only days are of UTC whatever zone is shown.',
  })),
];

const noMarkup = [
  { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Text goes in as text.' },
  { selector: 'AssignmentExpression[left.property.name=/^(?:innerHTML|outerHTML)$/]', message: 'Text goes in as text.' },
];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/generated/**', '**/node_modules/**', '.data/**', '.nx/**'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mts', '**/*.mjs', '**/*.cjs'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(depConstraints),
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      eqeqeq: 'error',
      // What a formatter does not break: comments, mostly. Data of tests and sentences that cannot be broken are let through.
      'max-len': ['error', { code: 140, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true }],
      'max-lines': ['error', 300],
      'no-restricted-globals': ['error', 'event', 'name'],
      'no-restricted-properties': [
        'error',
        { object: 'AbortSignal', property: 'timeout', message: 'timeLimit of @market-state/lifecycle ends also within AbortSignal.any.' },
      ],
    },
  },
  {
    files: ['libs/platform/lifecycle/src/time-limit.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['**/*.test.ts', '**/tests/**/*.ts', '**/bench/**/*.ts', '**/prove/**/*.ts'],
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
    files: ['libs/client/src/**/*.ts'],
    ignores: ['**/*.test.ts', 'libs/client/src/files/node.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: String.raw`^(?!\.{1,2}/|#files$)`,
              message: 'The SDK has no dependency and runs in browsers: it imports its own files alone.',
            },
          ],
        },
      ],
      'no-restricted-globals': ['error', 'event', 'name', 'process', 'Buffer', 'require', 'setImmediate', 'window', 'document'],
    },
  },
  {
    // The command line reaches the service through the SDK; what it forwards goes to the user's own server.
    files: ['apps/cli/src/**/*.ts'],
    ignores: ['**/*.test.ts', 'apps/cli/src/listen/post-event.ts'],
    rules: {
      'no-restricted-globals': ['error', 'event', 'name', 'fetch', 'XMLHttpRequest', 'EventSource', 'WebSocket'],
    },
  },
  {
    files: ['apps/portal/src/**/*.ts', 'apps/portal/src/**/*.tsx'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        'event',
        'name',
        'fetch',
        'XMLHttpRequest',
        'EventSource',
        'WebSocket',
        'process',
        'Buffer',
        'require',
      ],
      'no-restricted-properties': [
        'error',
        ...['window', 'self', 'globalThis'].map((object) => ({ object, property: 'fetch', message: 'The SDK alone sends requests.' })),
        { object: 'navigator', property: 'sendBeacon', message: 'The SDK alone sends requests.' },
        { object: 'localStorage', property: 'clear', message: 'What others keep there stays.' },
      ],
      'no-restricted-syntax': ['error', ...noMarkup],
    },
  },
  {
    files: ['apps/portal/src/**/*.ts', 'apps/portal/src/**/*.tsx'],
    ignores: ['**/*.test.ts', 'apps/portal/src/time/**'],
    rules: {
      'no-restricted-syntax': ['error', ...noMarkup, ...ownClocks],
    },
  },
  {
    files: ['apps/*/src/**/*.ts', 'libs/platform/*/src/**/*.ts'],
    ignores: ['**/*.test.ts', 'apps/portal/**', 'libs/platform/redis/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'ioredis', message: '@market-state/redis alone connects to Redis: to one server or a cluster.' }] },
      ],
    },
  },
  {
    files: ['libs/domain/**/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'node:crypto',
              importNames: ['randomUUID', 'randomBytes', 'randomInt', 'randomFill', 'randomFillSync', 'webcrypto', 'getRandomValues'],
              message: 'Domain code draws no random numbers.',
            },
          ],
          patterns: [
            {
              regex: `^(?!(?:${domainImports.join('|')})$)`,
              message:
                'Domain code imports what is listed in tools/eslint/eslint.config.mjs and nothing else: no input or output, no clock, no chance.',
            },
          ],
        },
      ],
      'no-restricted-globals': ['error', ...domainGlobals],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Domain code reads no clock.' },
        { object: 'Math', property: 'random', message: 'Domain code draws no random numbers.' },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Domain code reads no clock.' },
        { selector: "CallExpression[callee.name='Date']", message: 'Domain code reads no clock.' },
      ],
    },
  },
  {
    // These run in browsers too: what is Node's alone stands in files that a browser's build leaves out.
    files: ['libs/domain/{labeler,market-data}/src/**/*.ts'],
    ignores: ['**/*.test.ts', '**/{bytes,ed25519,hash}/node.ts', '**/packet-row/{checkpoint,key-object}.ts'],
    rules: {
      'no-restricted-globals': ['error', ...domainGlobals, 'Buffer'],
    },
  },
);
