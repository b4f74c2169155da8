import { originals } from '../../../serving/openapi/operations';
import { DEFAULT_WINDOW_MS } from '../../../streams/replay-window';
import type { Described } from '../../../serving/openapi/described';

type Limit = Described<'ManifestLimit'>;

const PARAMETER_UNITS: Readonly<Record<string, string>> = {
  depth: 'levels',
  limit: 'rows',
  window_seconds: 'seconds',
  replay_window_seconds: 'seconds',
};

/** Bounds of numeric parameters, one entry for each way they are bounded. */
function parameterLimits(): Limit[] {
  const limits = new Map<string, Limit & { applies_to: string[] }>();
  for (const { path, parameters } of originals) {
    for (const { name, schema } of parameters) {
      const unit = PARAMETER_UNITS[name];
      if (unit === undefined || typeof schema['maximum'] !== 'number') continue;
      const key = JSON.stringify([name, schema['minimum'], schema['maximum'], schema.default]);
      const known = limits.get(key);
      if (known !== undefined) known.applies_to.push(path);
      else
        limits.set(key, {
          limit: name,
          minimum: Number(schema['minimum']),
          maximum: schema['maximum'],
          default: Number(schema.default),
          unit,
          applies_to: [path],
        });
    }
  }
  return [...limits.values()];
}

/** Every bound of the routes that are served; a twin has its original's. */
export function manifestLimits(): Limit[] {
  const windows = originals.flatMap(({ path, windowMsMax }) =>
    windowMsMax === null
      ? []
      : [{ limit: 'window_ms', minimum: 1, maximum: windowMsMax, default: DEFAULT_WINDOW_MS, unit: 'milliseconds', applies_to: [path] }],
  );
  return [
    ...parameterLimits(),
    ...windows,
    { limit: 'rows_a_page', minimum: null, maximum: 5_000, default: null, unit: 'rows', applies_to: ['/api/public/data/replay/window'] },
    { limit: 'candles_a_page', minimum: null, maximum: 1_000, default: null, unit: 'rows', applies_to: ['/api/public/data/candles'] },
    {
      limit: 'book_levels_in_a_row',
      minimum: 1,
      maximum: 25,
      default: null,
      unit: 'levels',
      applies_to: ['/api/public/data/replay/window', '/api/public/data/stream'],
    },
    { limit: 'query_bytes', minimum: null, maximum: 2_048, default: null, unit: 'bytes', applies_to: ['*'] },
    { limit: 'query_parameters', minimum: null, maximum: 32, default: null, unit: 'parameters', applies_to: ['*'] },
    { limit: 'body_bytes', minimum: null, maximum: 65_536, default: null, unit: 'bytes', applies_to: ['*'] },
    {
      limit: 'packet_interval_ms',
      minimum: 10_000,
      maximum: 10_000,
      default: 10_000,
      unit: 'milliseconds',
      applies_to: ['/api/public/market-state/latest'],
    },
  ];
}
