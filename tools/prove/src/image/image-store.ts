import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command';
import type { ImageConfig } from './bubble';

const BUILD_MS = 20 * 60_000;
const STEP_MS = 5 * 60_000;
const TRUST_ALL = JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] });

/** A base that was made here. */
export interface Base {
  /** Name and digest. */
  readonly reference: string;
}

/** How images are built. */
export interface BuildOrder {
  readonly app: string;
  readonly sources: string;
  readonly seconds: number;
  readonly bases: { readonly build: string; readonly run: string };
  /** A folder of npm's packages, and how npm is told to use that alone. */
  readonly npmCache: string;
  readonly npmSettings: string;
}

/** A store of images and layers in a folder, that nothing else uses. */
export interface ImageStore {
  /** Makes a base of a folder's files. @returns its name and digest */
  addBase(name: string, root: string): Promise<string>;
  /** Builds the image of an app without any network. @returns its identifier: the digest of its configuration, which names each layer's */
  build(order: BuildOrder): Promise<string>;
  /** Puts the files of an image into a new folder, with their owners, and says how it is run. */
  unpack(image: string, folder: string): Promise<ImageConfig>;
}
