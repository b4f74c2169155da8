const depConstraints = [
  { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:client', 'type:contracts', 'type:domain', 'type:platform', 'type:reads'] },
  // The page in a browser reaches the service through the SDK alone.
  { sourceTag: 'type:portal', onlyDependOnLibsWithTags: ['type:client', 'type:domain'] },
  { sourceTag: 'type:client', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:contracts', onlyDependOnLibsWithTags: [] },
  // Service responses built from the domain in contract terms, shared by their callers.
  { sourceTag: 'type:reads', onlyDependOnLibsWithTags: ['type:contracts', 'type:domain', 'type:reads'] },
  { sourceTag: 'type:domain', onlyDependOnLibsWithTags: ['type:domain'] },
  { sourceTag: 'type:platform', onlyDependOnLibsWithTags: ['type:platform'] },
  {
    sourceTag: 'type:testing',
    onlyDependOnLibsWithTags: [
      'type:app',
      'type:client',
      'type:contracts',
      'type:domain',
      'type:platform',
      'type:reads',
      'type:testing',
      'type:tool',
    ],
  },
  {
    sourceTag: 'type:tool',
    onlyDependOnLibsWithTags: ['type:client', 'type:contracts', 'type:domain', 'type:platform', 'type:reads', 'type:tool', 'type:app'],
  },
];

/** Tests, benchmarks and suites may boot things and look at them from outside, on top of what their project may import. */
const testDepConstraints = depConstraints.map(({ sourceTag, onlyDependOnLibsWithTags }) => ({
  sourceTag,
  onlyDependOnLibsWithTags: [...onlyDependOnLibsWithTags, 'type:testing'],
}));

/** Allowed imports of domain code, as regular expressions: domain libs and pure functions. */
const domainImports = [
  String.raw`\.{1,2}/.+`,
  '@market-state/(?:market-data|labeler(?:/(?:lineage|names|recompute))?|scenarios|report|packet-figures|credentials|packet-views|pricing|alert-rules|service-figures|webhook-signing)',
  'node:(?:buffer|crypto|string_decoder|zlib)',
  '#(?:bytes|ed25519)',
  String.raw`@noble/(?:ed25519|hashes/(?:sha2|utils)\.js)`,
  'ajv',
  'd3-scale',
  'yaml',
  'zod',
];

/** Globals that domain code may not use. */
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
    allow: [registry, portalSample, clientNames, '^#(?:files|bytes|ed25519)$'],
    depConstraints: constraints,
    enforceBuildableLibDependency: false,
  },
];

/** Expressions that would show a time in the portal outside the zone that the reader has chosen. */
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

/** Restrictions for every file. */
const globals = ['event', 'name'];
const properties = [
  { object: 'AbortSignal', property: 'timeout', message: 'timeLimit of @market-state/lifecycle ends also within AbortSignal.any.' },
];

/** Restrictions for these files. Each list replaces the one for every file. */
const restricted = (files, { globals: names = globals, properties: members = properties, imports, syntax }) => ({
  files,
  rules: {
    'no-restricted-globals': ['error', ...names],
    'no-restricted-properties': members.length === 0 ? 'off' : ['error', ...members],
    'core/no-restricted-imports': imports === undefined ? 'off' : ['error', imports],
    'core/no-restricted-syntax': syntax === undefined ? 'off' : ['error', ...syntax],
  },
});

const requests = ['fetch', 'XMLHttpRequest', 'EventSource', 'WebSocket'];
const redis = { paths: [{ name: 'ioredis', message: '@market-state/redis alone connects to Redis: to one server or a cluster.' }] };

const portal = {
  globals: [...globals, ...requests, 'process', 'Buffer', 'require'],
  properties: [
    ...['window', 'self', 'globalThis'].map((object) => ({
      object,
      property: 'fetch',
      message: 'service/client.ts alone sends requests.',
    })),
    { object: 'navigator', property: 'sendBeacon', message: 'service/client.ts alone sends requests.' },
    { object: 'localStorage', property: 'clear', message: 'What others keep there stays.' },
  ],
};

const domain = {
  globals: domainGlobals,
  properties: [
    { object: 'Date', property: 'now', message: 'Domain code reads no clock.' },
    { object: 'Math', property: 'random', message: 'Domain code draws no random numbers.' },
  ],
  imports: {
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
        message: 'Domain code imports what is listed in oxlint.config.mjs and nothing else: no input or output, no clock, no chance.',
      },
    ],
  },
  syntax: [
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Domain code reads no clock.' },
    { selector: "CallExpression[callee.name='Date']", message: 'Domain code reads no clock.' },
  ],
};

/** Rules of typescript-eslint that find mistakes, its recommended ones, and what TypeScript makes needless. */
const recommended = [
  'typescript/ban-ts-comment',
  'no-array-constructor',
  'typescript/no-duplicate-enum-values',
  'typescript/no-empty-object-type',
  'typescript/no-explicit-any',
  'typescript/no-extra-non-null-assertion',
  'typescript/no-misused-new',
  'typescript/no-namespace',
  'typescript/no-non-null-asserted-optional-chain',
  'typescript/no-require-imports',
  'typescript/no-this-alias',
  'typescript/no-unnecessary-type-constraint',
  'typescript/no-unsafe-declaration-merging',
  'typescript/no-unsafe-function-type',
  'no-unused-expressions',
  'typescript/no-wrapper-object-types',
  'typescript/prefer-as-const',
  'typescript/prefer-namespace-keyword',
  'typescript/triple-slash-reference',
  'no-var',
  'prefer-const',
  'prefer-rest-params',
  'prefer-spread',
];

/**
 * Lint of all sources, by `oxlint -c oxlint.config.mjs --type-aware`. Of two overrides that name a rule for a file the later one counts,
 * and none can leave files out: what holds for a folder comes first, what does not hold for a file in it after.
 */
export default {
  plugins: ['typescript', 'import'],
  jsPlugins: ['@nx/eslint-plugin', './tools/lint/core-rules.mjs'],
  categories: { correctness: 'off' },
  ignorePatterns: ['**/dist/**', '**/generated/**', '**/node_modules/**', '.data/**', '.nx/**'],
  rules: {
    ...Object.fromEntries(recommended.map((name) => [name, 'error'])),
    '@nx/enforce-module-boundaries': boundaries(depConstraints),
    'typescript/consistent-type-imports': 'error',
    // Every promise is waited for, or said not to be.
    'typescript/no-floating-promises': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    'typescript/no-non-null-assertion': 'error',
    eqeqeq: 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    // Lines a formatter cannot break, mostly comments. Test data and unbreakable sentences are exempt.
    'core/max-len': ['error', { code: 140, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true }],
    'max-lines': ['error', 400],
    'no-restricted-globals': ['error', ...globals],
    'no-restricted-properties': ['error', ...properties],
  },
  overrides: [
    {
      files: ['**/*.{test,verify}.ts', '**/tests/**/*.ts', '**/bench/**/*.ts', 'tools/{e2e,verify}/**/*.ts'],
      rules: { '@nx/enforce-module-boundaries': boundaries(testDepConstraints) },
    },
    // Settings of a tool, which belong to no app's own code.
    { files: ['apps/*/prisma.config.ts'], rules: { '@nx/enforce-module-boundaries': 'off' } },
    { files: ['**/*.cjs'], rules: { 'typescript/no-require-imports': 'off' } },
    // Scripts that a browser runs unbuilt.
    { files: ['**/*.js'], rules: { 'no-var': 'off' } },

    restricted(['apps/*/src/**/*.ts', 'libs/platform/*/src/**/*.ts'], { imports: redis }),
    restricted(['libs/platform/redis/src/**/*.ts'], {}),
    restricted(['libs/platform/lifecycle/src/waits.ts'], { properties: [], imports: redis }),
    // The command line reaches the service through the SDK; what it forwards goes to the user's own server.
    restricted(['apps/cli/src/**/*.ts'], { globals: [...globals, ...requests], imports: redis }),
    restricted(['apps/cli/src/listen/forward.ts'], { imports: redis }),
    restricted(['libs/client/src/**/*.ts'], {
      globals: [...globals, 'process', 'Buffer', 'require', 'setImmediate', 'window', 'document'],
      imports: {
        patterns: [
          {
            regex: String.raw`^(?!\.{1,2}/|#files$)`,
            message: 'The SDK has no dependency and runs in browsers: it imports its own files alone.',
          },
        ],
      },
    }),
    restricted(['libs/client/src/files/node.ts'], {}),
    restricted(['apps/portal/src/**/*.ts', 'apps/portal/src/**/*.tsx'], { ...portal, syntax: [...noMarkup, ...ownClocks] }),
    restricted(['apps/portal/src/time/**'], { ...portal, syntax: noMarkup }),
    // Sends every request of the portal.
    restricted(['apps/portal/src/service/client.ts'], {
      ...portal,
      globals: portal.globals.filter((global) => global !== 'fetch'),
      syntax: [...noMarkup, ...ownClocks],
    }),
    restricted(['libs/domain/**/src/**/*.ts'], domain),
    // These run in browsers too: what is Node's alone stands in files that a browser's build leaves out.
    restricted(['libs/domain/{labeler,market-data}/src/**/*.ts'], { ...domain, globals: [...domainGlobals, 'Buffer'] }),
    restricted(
      [
        'libs/domain/{labeler,market-data}/src/**/{bytes,ed25519}/node.ts',
        'libs/domain/{labeler,market-data}/src/**/packet-row/{checkpoint,key-object}.ts',
      ],
      domain,
    ),
    restricted(['**/*.{test,verify}.ts'], {}),
  ],
};
