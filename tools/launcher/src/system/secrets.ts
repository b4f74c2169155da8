import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const sizeBytes = 32;

/** A base64url secret, stored in the data folder on first use. */
export function keptSecret(dataDir: string, name: string): string {
  return keptText(dataDir, name, () => randomBytes(sizeBytes).toString('base64url'));
}

/** Keys with ids: one, `k1:<base64>`, until the operator adds others. */
export function keptKeyRing(dataDir: string, name: string): string {
  return keptText(dataDir, name, () => `k1:${randomBytes(sizeBytes).toString('base64')}`);
}

function keptText(dataDir: string, name: string, make: () => string): string {
  const folder = join(dataDir, 'secrets');
  const file = join(folder, name.toLowerCase().replaceAll('_', '-'));
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const text = make();
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return text;
}
