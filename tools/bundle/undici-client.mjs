/**
 * undici by its HTTP client only, all that our programs use: 0.3 MB of 1.1, and none of its text beyond ASCII. Left out are `fetch`, bodies
 * of forms, proxies, mocks and, by undici's own switch for bundles, an experimental parser.
 */
export const undiciClient = {
  name: 'undici-client',
  setup(build) {
    build.initialOptions.define = { ...build.initialOptions.define, esbuildDetection: 'true' };
    build.onLoad({ filter: /[\\/]node_modules[\\/]undici[\\/]index\.js$/ }, () => ({
      contents: "exports.Client = require('./lib/dispatcher/client.js');",
    }));
    build.onLoad({ filter: /[\\/]node_modules[\\/]undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/ }, () => ({ contents: '' }));
  },
};
