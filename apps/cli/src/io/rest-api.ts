import { setTimeout as wait } from 'node:timers/promises';
import { timeLimit } from '@market-state/lifecycle';
import { badInput, incomplete } from '../cli-error';

const TIMEOUT_MS = 30_000;
const TRIES = 6;
/** Tries while no answer comes at all. */
const UNREACHED_TRIES = 3;
const FIRST_WAIT_MS = 500;
const WAIT_MS_MAX = 60_000;
/** Statuses after which the same request may succeed. */
const PASSING = new Set([429, 502, 503, 504]);

const KEY_REFUSED = new Set([401, 403]);
const NO_CREDITS = 402;

/** An answer that is not 200, and will not become one. */
export class RestRefusal extends Error {
  override readonly name = 'RestRefusal';

  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
  }
}

/** Where the public API is, and the key that it is asked with. */
export interface RestAccess {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
}

/** The public API. */
export interface RestApi {
  /**
   * The JSON that a path answers. Waits and asks again where the service is busy.
   * @throws {RestRefusal} when it answers otherwise
   * @throws CliError when it cannot be reached or stays busy, or the credits are used up (incomplete), or it refuses the key (bad input)
   */
  get<T>(path: string, query?: Readonly<Record<string, string | number>>): Promise<T>;
}

export function createRestApi({ url, key }: RestAccess, signal: AbortSignal): RestApi {
  async function ask(address: string): Promise<Response | Error> {
    const options = { headers: { 'x-market-state-api-key': key }, signal: AbortSignal.any([signal, timeLimit(TIMEOUT_MS)]) };
    return fetch(address, options).catch((error: Error) => error);
  }

  return {
    async get<T>(path: string, query: Readonly<Record<string, string | number>> = {}) {
      const parameters = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
      const address = `${url}${path}?${parameters.toString()}`;
      for (let tries = 1; ; tries += 1) {
        const answer = await ask(address);
        signal.throwIfAborted();
        if (!(answer instanceof Error) && answer.ok) return (await answer.json()) as T;
        if (tries >= triesOf(answer)) throw await failureOf(answer, url);
        await wait(waitMs(answer, tries), undefined, { signal });
      }
    },
  };
}

function triesOf(answer: Response | Error): number {
  if (answer instanceof Error) return UNREACHED_TRIES;
  return PASSING.has(answer.status) ? TRIES : 1;
}

function waitMs(answer: Response | Error, tries: number): number {
  const seconds = answer instanceof Error ? Number.NaN : Number(answer.headers.get('retry-after') ?? Number.NaN);
  return Math.min(Number.isNaN(seconds) ? FIRST_WAIT_MS * 2 ** (tries - 1) : seconds * 1_000, WAIT_MS_MAX);
}

async function failureOf(answer: Response | Error, url: string): Promise<Error> {
  if (answer instanceof Error) return incomplete(`${url} cannot be reached: ${causeOf(answer)}`);
  const text = await answer.text();
  if (PASSING.has(answer.status)) return incomplete(`${url} answers ${answer.status}: ${detailOf(text)}`);
  if (KEY_REFUSED.has(answer.status)) return badInput(`${url} refuses the key: ${detailOf(text)}`);
  if (answer.status === NO_CREDITS) return incomplete(`${url}: ${detailOf(text)}`);
  return new RestRefusal(answer.status, detailOf(text));
}

function causeOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message : message;
}

/** What a problem document says, else the beginning of the text. */
export function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    if (typeof detail === 'string') return detail;
  } catch {
    // Not JSON: shown as it is.
  }
  return text.slice(0, 200);
}
