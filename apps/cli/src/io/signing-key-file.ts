import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { signingKeyOfPem, type SigningKey } from '@market-state/labeler';
import { badInput } from '../cli-error';

/** The key of a PEM file, public or private. @throws CliError (bad input) when there is none */
export async function readSigningKeyFile(file: string, cwd: string): Promise<SigningKey> {
  const pem = await readFile(resolve(cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw badInput(`${file}: it cannot be read (${error.code ?? error.message})`);
  });
  try {
    return signingKeyOfPem(pem);
  } catch {
    throw badInput(`${file}: it has no Ed25519 key in PEM format`);
  }
}
