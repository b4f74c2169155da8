import { type Access, demoKeyFile } from '../access/access';
import type { CliIo } from '../io/cli-io';

/** What a shell writes in the place of the key; the key itself is shown nowhere. */
export function keyInShell(io: CliIo, { keySource }: Access, folder: string): string {
  switch (keySource) {
    case 'environment':
      return '$MARKET_STATE_API_KEY';
    case 'profile':
      return `$(grep -o 'msk_[0-9A-Za-z_]*' ${io.profileFile})`;
    case 'demo':
    case 'none':
      return `$(cat ${demoKeyFile(folder)})`;
  }
}
