import type { LabComparison, LabPacket, NumberEdits, NumberFault, PolicyChange } from '@market-state/labeler/lab';
import type { PolicyNumbers } from '@market-state/labeler/policy-numbers';

/** What the lab's worker is asked: first to open a bundle, then to label it as often as wanted. */
export type LabRequest =
  | {
      readonly type: 'open';
      /** gzip of NDJSON, as `events/{event_id}/bundle` serves it. It goes over to the worker and is gone here. */
      readonly bundle: ArrayBuffer;
      /** The policy's files by name, as `labeling-policy` publishes them. */
      readonly policyFiles: object;
    }
  | { readonly type: 'relabel'; readonly edits: NumberEdits }
  /** The packets of one window as they were published, and as they were labelled last. */
  | { readonly type: 'window'; readonly windowEndMs: number };

/** A packet in short. */
export interface LabReading {
  /** T, milliseconds since the epoch. */
  readonly windowEndMs: number;
  readonly eventId: string;
  /** SHA-256 of its bytes. */
  readonly packetDigest: string;
  /** Published state, and raw winner. */
  readonly state: string;
  readonly winner: string;
}

/** A span that was opened: its published packets follow from its log, byte for byte. */
export interface OpenedLab {
  readonly type: 'opened';
  readonly symbol: string;
  /** T of the checkpoint that the span is taken up at, milliseconds since the epoch; null: the log's first entry. */
  readonly checkpointMs: number | null;
  readonly entryTotal: number;
  readonly numbers: PolicyNumbers;
  readonly readings: readonly LabReading[];
}

/** The span under edited numbers, and what differs from what was published. */
export interface RelabelledLab extends LabComparison {
  readonly type: 'relabelled';
  readonly edits: NumberEdits;
  readonly readings: readonly LabReading[];
  readonly policyDigest: string;
  readonly values: readonly PolicyChange[];
  /** Time in the worker, from the request to this answer, milliseconds. */
  readonly tookMs: number;
}

/** The packets of one window: null where a policy makes none. */
export interface LabWindow {
  readonly type: 'window';
  readonly windowEndMs: number;
  readonly published: LabPacket['packet'] | null;
  readonly yours: LabPacket['packet'] | null;
}

/** What the worker answers. */
export type LabAnswer =
  | OpenedLab
  | RelabelledLab
  | LabWindow
  /** The edits are no policy: everything that is wrong with them. Nothing was labelled. */
  | { readonly type: 'faults'; readonly edits: NumberEdits; readonly faults: readonly NumberFault[] }
  /** It is no bundle that the lab can use. Sentences, to be shown as they are. */
  | { readonly type: 'refused'; readonly lines: readonly string[] };
