import { join, resolve } from 'node:path';
import type { ProcessDefinition } from './definitions';

/** What the client of buckets reads: ours, and those in which it finds credentials. */
const BUCKETS = /^(S3|AWS)_\w+$/;
const PLACES = ['ARCHIVE_URL', 'EXPORT_URL'];

/** Whether only processes with that store see this variable. */
export function isOfStores(name: string): boolean {
  return PLACES.includes(name) || BUCKETS.test(name);
}

/** Those variables of our own environment that say where stores are; what opens buckets only where one is in a bucket. */
export function inheritedOfStores(env: NodeJS.ProcessEnv): readonly string[] {
  const hasBucket = PLACES.some((name) => isBucket(env[name]));
  return Object.keys(env).filter((name) => PLACES.includes(name) || (hasBucket && BUCKETS.test(name)));
}

/** What a process is told of the stores that it opens: folders below the data folder unless a setting names another place. */
export function storesOf(
  { usesArchive, usesExports }: Pick<ProcessDefinition, 'usesArchive' | 'usesExports'>,
  dataDir: string,
  settings: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const places = {
    ...(usesArchive === true ? { ARCHIVE_URL: placeOf(settings['ARCHIVE_URL'], dataDir, 'archive') } : {}),
    ...(usesExports === true ? { EXPORT_URL: placeOf(settings['EXPORT_URL'], dataDir, 'exports') } : {}),
  };
  if (!Object.values(places).some(isBucket)) return places;
  return {
    ...places,
    ...Object.fromEntries(Object.entries(settings).filter(([name]) => BUCKETS.test(name))),
    S3_CACHE_DIR: resolve(settings['S3_CACHE_DIR'] || join(dataDir, 'cache')),
  };
}

function isBucket(place: string | undefined): boolean {
  return place?.startsWith('s3:') === true;
}

function placeOf(given: string | undefined, dataDir: string, folder: string): string {
  const place = given || join(dataDir, folder);
  return /^[a-z0-9]+:/.test(place) ? place : resolve(place);
}
