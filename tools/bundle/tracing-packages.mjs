import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Excludes the API, which must be shared by all users. */
const SDK = /^@opentelemetry\/(?:context-async-hooks|core|otlp-transformer|resources|sdk-[\w-]+|semantic-conventions)$/;

/**
 * OpenTelemetry's ES modules tree-shake to a fifth of the CommonJS size. All declare that loading has no side effects.
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

function nearestOf(name, from) {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(folder)) return folder;
    if (at === dirname(at)) throw new Error(`${name} is not installed.`);
  }
}
