import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file that names them. */
export const BASES = 'deploy/images/bases.env';

/** What images are made from, each by its digest. */
export interface Bases {
  /** Has Node and npm; nothing of it is in an image of ours. */
  readonly buildImage: string;
  /** Has Node, and no shell. */
  readonly runImage: string;
}

const PINNED = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$|^[\w./-]+@sha256:[0-9a-f]{64}$/;

/** Those of `deploy/images/bases.env`. @throws Error naming one that is missing or that a registry could change */
export function readBases(root: string): Bases {
  const text = readFileSync(join(root, BASES), 'utf8');
  const baseOf = (name: string): string => {
    const image = new RegExp(`^${name}=(\\S*)$`, 'm').exec(text)?.[1] ?? '';
    if (!PINNED.test(image)) throw new Error(`${name} in ${BASES} must name an image by its sha256 digest; it is "${image}".`);
    return image;
  };
  return { buildImage: baseOf('BUILD_IMAGE'), runImage: baseOf('RUN_IMAGE') };
}
