import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Gives the password of a role, drawing it (32 random bytes) on first use. */
export type Passwords = (role: string) => string;

/** The passwords kept in `<folder>/passwords.json`, which its owner alone can read. */
export function openPasswords(folder: string): Passwords {
  const file = join(folder, 'passwords.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  return (role) => {
    const password = known[role] ?? randomBytes(32).toString('base64url');
    if (known[role] === undefined) {
      known[role] = password;
      writeFileSync(`${file}.new`, JSON.stringify(known), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    }
    return password;
  };
}
