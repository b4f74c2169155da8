/**
 * Bundles only undici's HTTP client: 0.3 MB of 1.1, pure ASCII. Omits `fetch`, form bodies, proxies, mocks and an
 * experimental parser.
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
