import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { badInput, incomplete } from '../cli-error';

/** Where a running system answers: host:port each. */
export interface Endpoints {
  readonly labeling: string;
  readonly dataPlane: string;
}

/** The addresses that a system which runs on this machine wrote into its data folder. @throws CliError when there are none */
export async function readEndpoints(cwd: string, dataDir: string): Promise<Endpoints> {
  const file = join(resolve(cwd, dataDir), 'endpoints.json');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw badInput(`${file}: it cannot be read (${error.code ?? error.message})`);
    throw incomplete(
      `No system runs with its data in ${dataDir}: there is no ${file}.`,
      'Start one (npm start), name its folder with --data-dir, or its services with --labeling host:port --data-plane host:port.',
    );
  });
  const { labeling, data_plane: dataPlane } = parsed(text, file);
  if (typeof labeling !== 'string' || typeof dataPlane !== 'string') throw badInput(`${file}: it must name "labeling" and "data_plane"`);
  return { labeling, dataPlane };
}

function parsed(text: string, file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Told below.
  }
  throw badInput(`${file}: it is not a JSON object`);
}
