import type { LabComparison, LabPacket, NumberEdits, NumberFault, PolicyChange } from '@market-state/labeler/lab';
import type { PolicyNumbers } from '@market-state/labeler/policy-numbers';

/** First opens a bundle, then labels it any number of times. */
export type LabRequest =
  | {
      readonly type: 'open';
      /** Same as in `RecomputeRequest`. */
      readonly bundle: ArrayBuffer;
      readonly policyFiles: object;
    }
  | { readonly type: 'relabel'; readonly edits: NumberEdits }
  /** Published and latest relabeled packets of one window. */
  | { readonly type: 'window'; readonly windowEndMs: number };

export interface LabReading {
  readonly windowEndMs: number;
  readonly eventId: string;
  readonly packetDigest: string;
  readonly state: string;
  readonly winner: string;
}

/** A span whose published packets were reproduced from its log byte for byte. */
export interface OpenedLab {
  readonly type: 'opened';
  readonly symbol: string;
  /** Null if the span starts with the log's first entry. */
  readonly checkpointMs: number | null;
  readonly entryTotal: number;
  readonly numbers: PolicyNumbers;
  readonly readings: readonly LabReading[];
}

export interface RelabelledLab extends LabComparison {
  readonly type: 'relabelled';
  readonly edits: NumberEdits;
  readonly readings: readonly LabReading[];
  readonly policyDigest: string;
  readonly values: readonly PolicyChange[];
  /** From request to response in the worker. */
  readonly tookMs: number;
}

/** Null where a policy produces no packet. */
export interface LabWindow {
  readonly type: 'window';
  readonly windowEndMs: number;
  readonly published: LabPacket['packet'] | null;
  readonly yours: LabPacket['packet'] | null;
}

export type LabAnswer =
  | OpenedLab
  | RelabelledLab
  | LabWindow
  /** The edits are not a valid policy; nothing was labeled. */
  | { readonly type: 'faults'; readonly edits: NumberEdits; readonly faults: readonly NumberFault[] }
  /** The bundle is unusable. `lines` are shown as they are. */
  | { readonly type: 'refused'; readonly lines: readonly string[] };
