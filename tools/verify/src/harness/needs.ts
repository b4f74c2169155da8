import { existsSync } from 'node:fs';
import { onPath } from '@market-state/launcher';
import { canInstallPackages } from '@market-state/testing';
import { findChromium, findPython } from '@market-state/testing';

/** Why this machine can't run a suite; undefined when it can. */
export type Need = () => string | undefined;

export const needsChromium: Need = () => (findChromium() === null ? 'no Chromium' : undefined);

export const needsRoot: Need = () => (process.getuid?.() === 0 ? undefined : 'not root');

/** A program that is there or, as root on Debian, is installed when it is first used. */
export function needsProgram(program: string, debianPackage: string): Need {
  return () => (onPath(program) === undefined && !canInstallPackages() ? `no ${program} (Debian: ${debianPackage})` : undefined);
}

export function needsPython(...modules: readonly string[]): Need {
  return () => (findPython(modules) === null ? `no Python with ${modules.join(', ')}` : undefined);
}

/** Recordings that can't be in the repository. */
export const needsRecordings: Need = () => {
  const folder = process.env['RECORDINGS_DIR'] ?? '';
  return folder === '' || !existsSync(folder) ? 'RECORDINGS_DIR names no folder' : undefined;
};
