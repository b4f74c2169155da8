import type { RecordedMessage } from './recorded-market';

/** One message on its way to the client. */
export interface Delivered extends RecordedMessage {
  /** How many of the recording's messages the venue has made by then: what its REST answers know. */
  readonly made: number;
  /** The connection breaks behind it. */
  readonly breaks: boolean;
}

/** How often each fault comes, as a share of the diffs; `drop` of the trades too. */
export interface FaultShares {
  readonly drop: number;
  readonly double: number;
  readonly reorder: number;
  /** Of the trades: the id comes without a trade. */
  readonly nothing: number;
  /** Of all messages: the connection breaks. */
  readonly disconnect: number;
}

/** What is delivered of a stretch, and what is wrong with it. */
export interface Delivery {
  readonly messages: readonly Delivered[];
  /** Exchange times of the diffs that don't come, or come behind a later one. */
  readonly missedMs: readonly number[];
  readonly dropped: number;
  /** Trades that don't come, though the client is there. */
  readonly droppedTrades: number;
  /** Trade ids that come without a trade. */
  readonly withoutTrade: ReadonlySet<number>;
  readonly doubled: number;
  readonly reordered: number;
}

/** Messages at the end that come as they should, so that what was lost can be found again. */
const SOUND_TAIL = 2_000;
/** How many messages later a diff comes that is out of order, at most. */
const REORDER_REACH = 12;

/** Spoils a stretch of a recording at random. */
export function spoil(messages: readonly RecordedMessage[], shares: FaultShares, random: () => number): Delivery {
  const delivered: Delivered[] = [];
  const late: { readonly message: RecordedMessage; readonly from: number; readonly at: number }[] = [];
  const missedMs: number[] = [];
  const withoutTrade = new Set<number>();
  const count = { dropped: 0, droppedTrades: 0, doubled: 0, reordered: 0 };
  let newestDiff = -1;
  messages.forEach((message, index) => {
    const { diff, trade, receivedMs } = message;
    const isSound = index >= messages.length - SOUND_TAIL;
    const breaks = !isSound && random() < shares.disconnect;
    const put = (what: RecordedMessage): number => delivered.push({ ...what, receivedMs, made: index + 1, breaks: false });
    const chance = isSound ? 1 : random();
    if (diff === undefined) {
      if (trade !== undefined && chance < shares.drop) count.droppedTrades++;
      else if (trade !== undefined && chance < shares.drop + shares.nothing) {
        withoutTrade.add(trade.t);
        put({ ...message, text: asNothing(message.text) });
      } else put(message);
    } else if (chance < shares.drop) {
      count.dropped++;
      missedMs.push(diff.T);
    } else if (chance < shares.drop + shares.reorder) {
      late.push({ message, from: index, at: index + 1 + Math.floor(random() * REORDER_REACH) });
    } else {
      put(message);
      newestDiff = index;
      if (chance < shares.drop + shares.reorder + shares.double) {
        count.doubled++;
        put(message);
      }
    }
    for (const due of late.splice(0).filter((waiting) => waiting.at > index || !release(waiting))) late.push(due);
    const last = delivered.at(-1);
    if (breaks && last !== undefined) delivered[delivered.length - 1] = { ...last, breaks };

    function release({ message: waiting, from }: (typeof late)[number]): boolean {
      put(waiting);
      if (from > newestDiff) newestDiff = from;
      else {
        count.reordered++;
        missedMs.push(waiting.diff?.T ?? 0);
      }
      return true;
    }
  });
  return { messages: delivered, missedMs, withoutTrade, ...count };
}

/** The message of a trade with neither a price nor a quantity. */
function asNothing(text: string): string {
  return text
    .replace(/"p":"[^"]*"/, '"p":"0"')
    .replace(/"q":"[^"]*"/, '"q":"0"')
    .replace(/"X":"[^"]*"/, '"X":"NA"');
}
