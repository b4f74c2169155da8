import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface Thinning {
  /** Receive time over which book changes are merged into one, and best prices reduced to the last. */
  readonly bookMs: number;
  /** Keeps every n-th trade, numbered without gaps. */
  readonly tradeEvery: number;
}

/** One book change and the last best prices per second, and every trade. */
export const QUIET: Thinning = { bookMs: 1_000, tradeEvery: 1 };

/** Symbols of a venue by descending activity: a few busy ones, many quiet ones. Undefined: as recorded. */
const TIERS: readonly { readonly ranks: number; readonly thinning: Thinning | undefined }[] = [
  { ranks: 2, thinning: undefined },
  { ranks: 8, thinning: QUIET },
  { ranks: 40, thinning: { bookMs: 1_000, tradeEvery: 5 } },
  { ranks: Infinity, thinning: { bookMs: 2_000, tradeEvery: 20 } },
];

/** @param rank of a symbol by activity, from 0 */
export function thinningOf(rank: number): Thinning | undefined {
  let first = 0;
  for (const { ranks, thinning } of TIERS) {
    first += ranks;
    if (rank < first) return thinning;
  }
  return undefined;
}

type Level = readonly [price: string, quantity: string];

interface BookChange {
  readonly U: number;
  readonly u: number;
  readonly pu: number;
  readonly b: readonly Level[];
  readonly a: readonly Level[];
}

interface Message {
  readonly stream?: string;
  readonly data?: { readonly e: string; readonly t?: number } & BookChange;
}

interface Line {
  readonly receivedNs: string;
  readonly message: Message;
}

/** @returns the thinned recording of a file in this folder, written on first use */
export function thinnedFile(file: string, folder: string, thinning: Thinning): string {
  const own = join(folder, `${thinning.bookMs}-${thinning.tradeEvery}`);
  const written = join(own, basename(file, '.gz'));
  if (existsSync(written)) return written;
  mkdirSync(own, { recursive: true });
  const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n').filter(Boolean).map(lineOf);
  writeFileSync(written, `${thinned(lines, thinning).map(textOf).join('\n')}\n`);
  return written;
}

function lineOf(text: string): Line {
  const space = text.indexOf(' ');
  return { receivedNs: text.slice(0, space), message: JSON.parse(text.slice(space + 1)) as Message };
}

function textOf({ receivedNs, message }: Line): string {
  return `${receivedNs} ${JSON.stringify(message)}`;
}

/** Numbers of changes and trades stay contiguous, so nothing appears missing. */
function thinned(lines: readonly Line[], { bookMs, tradeEvery }: Thinning): Line[] {
  const made: Line[] = [];
  const spanNs = BigInt(bookMs) * 1_000_000n;
  let changes: Line[] = [];
  let prices: Line | undefined;
  let span = 0n;
  const flush = (): void => {
    const ready = [merged(changes), prices].flatMap((line) => (line === undefined ? [] : [line]));
    made.push(...ready.sort((one, other) => Number(BigInt(one.receivedNs) - BigInt(other.receivedNs))));
    [changes, prices] = [[], undefined];
  };
  for (const line of lines) {
    const kind = line.message.data?.e;
    const trade = kind === 'trade' ? line.message.data?.t : undefined;
    if (trade !== undefined && trade % tradeEvery > 0) continue;
    const own = BigInt(line.receivedNs) / spanNs;
    if (own !== span || (kind !== 'depthUpdate' && kind !== 'bookTicker')) flush();
    span = own;
    if (kind === 'depthUpdate') changes.push(line);
    else if (kind === 'bookTicker') prices = line;
    else made.push(trade === undefined ? line : withTradeNumber(line, trade / tradeEvery));
  }
  flush();
  return made;
}

function withTradeNumber({ receivedNs, message }: Line, t: number): Line {
  return { receivedNs, message: { ...message, data: { ...(message.data as NonNullable<Message['data']>), t } } };
}

function merged(changes: readonly Line[]): Line | undefined {
  const last = changes.at(-1);
  const all = changes.flatMap(({ message: { data } }) => (data === undefined ? [] : [data]));
  const [first] = all;
  if (last === undefined || first === undefined) return undefined;
  const sideOf = (side: 'b' | 'a'): Level[] => [...new Map(all.flatMap((change) => change[side]))];
  const data = { ...(last.message.data as BookChange & { e: string }), U: first.U, pu: first.pu, b: sideOf('b'), a: sideOf('a') };
  return { receivedNs: last.receivedNs, message: { ...last.message, data } };
}
