import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** What changes of a book are made one of, nanoseconds of receive time. */
const STRETCH_NS = 1_000_000_000n;

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
  readonly data?: { readonly e: string } & BookChange;
}

interface Line {
  readonly receivedNs: string;
  readonly message: Message;
}

/**
 * Writes a recording of Binance COIN-M anew as a quieter market would have sent it: all changes of the book of a second as one, the last
 * best prices of a second, every trade. Numbers of the changes stay whole, so that nothing is missing. @returns the file
 */
export function writeQuietRecording(file: string, folder: string): string {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n').filter(Boolean).map(lineOf);
  const written = join(folder, basename(file, '.gz'));
  writeFileSync(written, `${quiet(lines).map(textOf).join('\n')}\n`);
  return written;
}

function lineOf(text: string): Line {
  const space = text.indexOf(' ');
  return { receivedNs: text.slice(0, space), message: JSON.parse(text.slice(space + 1)) as Message };
}

function textOf({ receivedNs, message }: Line): string {
  return `${receivedNs} ${JSON.stringify(message)}`;
}

function quiet(lines: readonly Line[]): Line[] {
  const made: Line[] = [];
  let changes: Line[] = [];
  let prices: Line | undefined;
  let stretch = 0n;
  const flush = (): void => {
    const ready = [merged(changes), prices].flatMap((line) => (line === undefined ? [] : [line]));
    made.push(...ready.sort((one, other) => Number(BigInt(one.receivedNs) - BigInt(other.receivedNs))));
    [changes, prices] = [[], undefined];
  };
  for (const line of lines) {
    const kind = line.message.data?.e;
    const own = BigInt(line.receivedNs) / STRETCH_NS;
    if (own !== stretch || (kind !== 'depthUpdate' && kind !== 'bookTicker')) flush();
    stretch = own;
    if (kind === 'depthUpdate') changes.push(line);
    else if (kind === 'bookTicker') prices = line;
    else made.push(line);
  }
  flush();
  return made;
}

/** Changes that follow each other as one: the last quantity of each price. */
function merged(changes: readonly Line[]): Line | undefined {
  const last = changes.at(-1);
  const all = changes.flatMap(({ message: { data } }) => (data === undefined ? [] : [data]));
  const [first] = all;
  if (last === undefined || first === undefined) return undefined;
  const sideOf = (side: 'b' | 'a'): Level[] => [...new Map(all.flatMap((change) => change[side]))];
  const data = { ...(last.message.data as BookChange & { e: string }), U: first.U, pu: first.pu, b: sideOf('b'), a: sideOf('a') };
  return { receivedNs: last.receivedNs, message: { ...last.message, data } };
}
