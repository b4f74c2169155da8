import { chmodSync, existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

const DETAIL_LENGTH = 200;

const answerShape = z.object({ webhook_id: z.string(), secret: z.string() });

/** What the service answered when the endpoint was registered. */
export interface Registration {
  readonly endpointId: string;
  readonly secret: string;
}

/** The answer to the registration of a receiver, in a file that only its owner may read: whoever registers it writes it there. */
export interface RegistrationFile {
  readonly file: string;
  /** Undefined while there is none. */
  read(): Registration | undefined;
  /** Calls each time another registration is there, or an answer that is none, with what it says. */
  follow(signal: AbortSignal, onChange: (found: Registration | string) => void): void;
}

/** That of the receiver on this port. */
export function openRegistration(dataDir: string, port: number): RegistrationFile {
  const file = join(dataDir, 'listen', `${port}.json`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600 });
  chmodSync(file, 0o600);
  const readText = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const read = (): Registration | undefined => registrationIn(readText());
  return {
    file,
    read,
    follow(signal, onChange) {
      let last = readText();
      watch(dirname(file), { signal }, (_event, name) => {
        if (name !== basename(file)) return;
        const text = readText();
        // Written in pieces: an answer ends with the object that it is.
        if (text === last || !isWhole(text)) return;
        last = text;
        onChange(registrationIn(text) ?? detailOf(text));
      });
    },
  };
}

/** What an answer that is no registration says: its detail, else its beginning. */
function detailOf(text: string): string {
  const { detail } = JSON.parse(text) as { readonly detail?: unknown };
  return typeof detail === 'string' ? detail : text.slice(0, DETAIL_LENGTH);
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function registrationIn(text: string): Registration | undefined {
  if (!isWhole(text)) return undefined;
  const read = answerShape.safeParse(JSON.parse(text));
  return read.success ? { endpointId: read.data.webhook_id, secret: read.data.secret } : undefined;
}
