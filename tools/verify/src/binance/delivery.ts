import type { RecordedMessage } from './recorded-market';

export interface Delivered extends RecordedMessage {
  /** Messages of the recording that the venue's REST answers already include. */
  readonly made: number;
  readonly breaks: boolean;
}

/** Fault probabilities per diff; `drop` also applies to trades. */
export interface FaultShares {
  readonly drop: number;
  readonly double: number;
  readonly reorder: number;
  /** Per trade: its id arrives without a trade. */
  readonly nothing: number;
  readonly disconnect: number;
}

export interface Delivery {
  readonly messages: readonly Delivered[];
  /** Exchange times of diffs that are missing or arrive after a later one. */
  readonly missedMs: readonly number[];
  readonly dropped: number;
  readonly droppedTrades: number;
  readonly withoutTrade: ReadonlySet<number>;
  readonly doubled: number;
  readonly reordered: number;
}

/** Intact messages at the end, so that losses can be recovered. */
const SOUND_TAIL = 2_000;
/** Maximum delay of an out-of-order diff, in messages. */
const REORDER_REACH = 12;

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

function asNothing(text: string): string {
  return text
    .replace(/"p":"[^"]*"/, '"p":"0"')
    .replace(/"q":"[^"]*"/, '"q":"0"')
    .replace(/"X":"[^"]*"/, '"X":"NA"');
}
