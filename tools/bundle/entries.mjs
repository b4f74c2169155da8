/**
 * Each bundle under dist/ by name, and the file it is made from. Processes first, then the commands of package.json, the program of users,
 * and what bundling itself runs.
 */
export const entries = {
  gateway: 'apps/gateway/src/main.ts',
  'data-plane': 'apps/data-plane/src/main.ts',
  'data-plane-feed': 'apps/data-plane/src/feed-main.ts',
  'data-plane-recorder': 'apps/data-plane/src/recorder-main.ts',
  labeling: 'apps/labeling/src/main.ts',
  account: 'apps/account/src/main.ts',
  'simulated-venue': 'apps/simulated-venue/src/main.ts',
  start: 'tools/launcher/src/main.ts',
  migrate: 'tools/launcher/src/migrate-main.ts',
  test: 'tools/checks/src/main.ts',
  prove: 'tools/prove/src/main.ts',
  'prove-load': 'tools/prove/src/attacks/load/load-main.ts',
  bench: 'tools/bench/src/main.ts',
  routes: 'apps/gateway/src/routes-main.ts',
  'market-state': 'apps/cli/src/main.ts',
  'shipped-policy': 'tools/checks/src/shipped-policy.ts',
  'record-release': 'apps/gateway/src/release-main.ts',
};

/** Those that a release consists of: the processes, and the program of users. */
export const releasedPrograms = [
  'gateway',
  'data-plane',
  'data-plane-feed',
  'data-plane-recorder',
  'labeling',
  'account',
  'simulated-venue',
  'market-state',
];
