import { chmodSync, existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

const DETAIL_LENGTH = 200;

const answerShape = z.object({ webhook_id: z.string(), secret: z.string() });

export interface Registration {
  readonly endpointId: string;
  readonly secret: string;
}

/** Response to the registration call, saved to a file that only its owner may read. */
export interface RegistrationFile {
  readonly file: string;
  read(): Registration | undefined;
  /** Calls back for each new registration, or with the detail of a failed response. */
  follow(signal: AbortSignal, onChange: (found: Registration | string) => void): void;
}

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
        // The file is written in pieces, so wait for a complete JSON object.
        if (text === last || !isWhole(text)) return;
        last = text;
        onChange(registrationIn(text) ?? detailOf(text));
      });
    },
  };
}

/** Problem detail of a failed response, or its beginning. */
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
