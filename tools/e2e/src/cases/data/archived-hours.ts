import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An hour of a channel, as the manifest beside its file has it. */
export interface ArchivedHour {
  readonly channel: string;
  readonly rows: number;
  readonly bytes: number;
}

/** The hours of a symbol that stand in the archive under a data folder. */
export function archivedHours(dataDir: string, symbol: string): ArchivedHour[] {
  const folder = join(dataDir, 'archive');
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('manifest.json') && file.includes(`symbol=${symbol}/`))
    .map((file) => ({
      ...(JSON.parse(readFileSync(join(folder, file), 'utf8')) as ArchivedHour),
      channel: /^channel=(\w+)/.exec(file)?.[1] ?? '',
    }));
}
