import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** But the API, which is one for all that use it. */
const SDK = /^@opentelemetry\/(?:context-async-hooks|core|otlp-transformer|resources|sdk-[\w-]+|semantic-conventions)$/;

/**
 * Packages of OpenTelemetry's SDK by their ES modules, of which the bundler keeps what is used: a fifth of what their CommonJS files take.
 * All of them say that loading a module does nothing else. Those without ES modules are taken as they are.
 */
export const tracingPackages = {
  name: 'tracing-packages',
  setup(build) {
    build.onResolve({ filter: SDK }, ({ path, resolveDir }) => {
      const folder = nearestOf(path, resolveDir);
      const { module } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return module === undefined ? undefined : { path: join(folder, module), sideEffects: false };
    });
  },
};

/** The folder of a package, as Node finds it from another. @throws Error when it is not installed */
function nearestOf(name, from) {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(folder)) return folder;
    if (at === dirname(at)) throw new Error(`${name} is not installed.`);
  }
}
