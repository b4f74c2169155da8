import type { PolicyNumbers } from '../policy/numbers';
import type { GapSpan, TimeSpan } from '../sources/gaps';
import type { VenueFacts } from '../sources/families';
import type { EntryWindows } from '../windows/entry-windows';
import type { PacketMemory } from '../reducer/labeler-state';

export interface LabelInput {
  readonly market: string;
  readonly windowEndMs: number;
  readonly facts: VenueFacts;
  readonly windows: EntryWindows;
  readonly memory: PacketMemory;
  readonly numbers: PolicyNumbers;
  readonly spans: readonly GapSpan[];
  readonly bookSilences: readonly TimeSpan[];
  /** Since the tick that closed window T − 300 s. */
  readonly reconnectTotal: number;
  readonly lateTotal: number;
  readonly lateTotalEver: number;
  readonly applied: Readonly<Record<'book' | 'trade' | 'context' | 'liquidation', number>>;
}
