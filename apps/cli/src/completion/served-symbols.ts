import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MarketState } from '@market-state/client';
import { openAccess } from '../access/access';
import type { CliIo } from '../io/cli-io';

/** So long a list of symbols is used again. */
const KEPT_MS = 600_000;
/** A shell waits no longer than this. */
const ANSWER_MS = 2_000;

/**
 * The symbols of the service that later commands would ask, kept beside the profile for ten minutes. None where it cannot be asked: a
 * completion is never an error. The catalog costs nothing.
 */
export async function servedSymbols(io: CliIo): Promise<readonly string[]> {
  try {
    const { url, apiKey } = await openAccess(io, {});
    const file = join(dirname(io.profileFile), `symbols-${encodeURIComponent(url)}.json`);
    const kept = await keptIn(file);
    if (kept !== undefined) return kept;
    const { data } = await new MarketState({ baseUrl: url, apiKey, timeoutMs: ANSWER_MS }).catalog.get({}, { signal: io.signal });
    const symbols = data.symbols.map(({ symbol }) => symbol);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, JSON.stringify(symbols), { mode: 0o600 });
    return symbols;
  } catch {
    return [];
  }
}

async function keptIn(file: string): Promise<readonly string[] | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs > KEPT_MS) return undefined;
  const list: unknown = JSON.parse(await readFile(file, 'utf8'));
  return Array.isArray(list) ? list.map(String) : undefined;
}
