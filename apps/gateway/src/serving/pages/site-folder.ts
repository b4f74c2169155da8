import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';

/** A folder that holds no build of a site, or half of one. */
export class SiteBuildError extends Error {
  override readonly name = 'SiteBuildError';
}

/** A build of a site in its folder: a manifest, and the files that it names. */
export interface SiteFolder<Manifest> {
  readonly manifest: Manifest;
  /** The bytes of a file of the build. @throws {SiteBuildError} where it lacks */
  read(file: string): Buffer;
  /** SHA-256 of each file as it was read, the manifest too, lower-case hex, by its path below the folder. */
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * Opens the build of a site.
 * @param what the site in words
 * @param manifestFile its manifest, JSON
 * @throws {SiteBuildError} where there is no manifest, or one of another form
 */
export function openSiteFolder<Schema extends z.ZodType>(
  folder: string,
  { what, manifestFile, schema }: { readonly what: string; readonly manifestFile: string; readonly schema: Schema },
): SiteFolder<z.output<Schema>> {
  const hashes = new Map<string, string>();
  const readFile = (file: string): Buffer => {
    const bytes = readFileSync(join(folder, file));
    hashes.set(file, createHash('sha256').update(bytes).digest('hex'));
    return bytes;
  };
  return {
    manifest: parsed(),
    read(file) {
      try {
        return readFile(file);
      } catch (error) {
        throw new SiteBuildError(`The build of the ${what} in ${folder} lacks ${file}.`, { cause: error });
      }
    },
    hashes,
  };

  function parsed(): z.output<Schema> {
    try {
      return schema.parse(JSON.parse(readFile(manifestFile).toString('utf8')));
    } catch (error) {
      throw new SiteBuildError(`${folder} holds no build of the ${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
