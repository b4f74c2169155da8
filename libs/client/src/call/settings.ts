import type { CallFacts, OperationId } from '../types';
import type { Budget } from './budget';

export interface Settings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Uses the browser's account session instead of a key. */
  readonly session: boolean;
  readonly maxCreditsPerCall: number;
  readonly timeoutMs: number;
  readonly budget: Budget | null;
  readonly fetch: typeof fetch;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onAnswer: (id: OperationId, call: CallFacts) => void;
}

const KEY_HEADER = 'x-market-state-api-key';

/** Headers and mode for the client's credential, if the operation needs one. */
export function credentialOf(
  { apiKey, session }: Settings,
  isOpen: boolean,
): Pick<RequestInit, 'credentials'> & {
  readonly headers: Record<string, string>;
} {
  if (session) return { credentials: 'same-origin', headers: {} };
  return { credentials: 'omit', headers: apiKey === undefined || isOpen ? {} : { [KEY_HEADER]: apiKey } };
}

const ID_BYTES = 16;

/** Random id: 128 bits in hex. */
export function newId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return prefix + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
