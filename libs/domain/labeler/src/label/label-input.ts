import type { PolicyNumbers } from '../policy/numbers';
import type { GapSpan, Stretch } from '../sources/gap-ledger';
import type { VenueFacts } from '../sources/venue-facts';
import type { EntryWindows } from '../windows/entry-windows';
import type { PacketMemory } from './memory';

/** Inputs of the packet at T, except for its position in the chain. */
export interface LabelInput {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly facts: VenueFacts;
  readonly windows: EntryWindows;
  readonly memory: PacketMemory;
  readonly numbers: PolicyNumbers;
  /** Gaps and seams that overlap the last 300 s. */
  readonly spans: readonly GapSpan[];
  /** Spans in the last 300 s without a book for longer than its staleness limit. */
  readonly bookSilences: readonly Stretch[];
  /** Since the tick that closed window T − 300 s. */
  readonly reconnectTotal: number;
  readonly lateTotal: number;
  /** Since the log began. */
  readonly lateTotalEver: number;
  /** Events applied in this window, by channel. */
  readonly applied: Readonly<Record<'book' | 'trade' | 'context' | 'liquidation', number>>;
}
