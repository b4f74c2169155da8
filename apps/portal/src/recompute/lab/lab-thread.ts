import {
  bundleLines,
  compareLab,
  editedPolicy,
  type Lab,
  type LabPacket,
  type NumberEdits,
  openLab,
  policyChanges,
  relabelLab,
  SourceError,
} from '@market-state/labeler/lab';
import type { LabRequest, LabAnswer, LabReading } from './messages';

/** Handles requests one at a time. It holds the bundle opened last and its latest labels. */
function createLab(): (request: LabRequest) => Promise<LabAnswer> {
  let lab: Lab | null = null;
  let yours: readonly LabPacket[] = [];
  const opened = (): Lab => {
    if (lab === null) throw new Error('no bundle was opened');
    return lab;
  };
  return async (request) => {
    switch (request.type) {
      case 'open':
        try {
          lab = await openLab(await bundleLines(new Uint8Array(request.bundle)), request.policyFiles);
        } catch (error) {
          if (error instanceof SourceError) return { type: 'refused', lines: error.lines };
          throw error;
        }
        yours = lab.packets;
        return openedAnswer(lab);
      case 'relabel': {
        const { answer, packets } = relabelled(opened(), request.edits);
        yours = packets ?? yours;
        return answer;
      }
      case 'window': {
        const { windowEndMs } = request;
        const of = (packets: readonly LabPacket[]) => packets.find((packet) => packet.windowEndMs === windowEndMs)?.packet ?? null;
        return { type: 'window', windowEndMs, published: of(opened().packets), yours: of(yours) };
      }
    }
  };
}

function openedAnswer({ symbol, checkpointMs, entries, published, packets }: Lab): LabAnswer {
  const readings = packets.map(readingOf);
  return { type: 'opened', symbol, checkpointMs, entryTotal: entries.length, numbers: published.numbers, readings };
}

function relabelled(lab: Lab, edits: NumberEdits): { readonly answer: LabAnswer; readonly packets?: readonly LabPacket[] } {
  const startMs = performance.now();
  const policy = editedPolicy(lab.published, edits);
  if (!('digest' in policy)) return { answer: { type: 'faults', edits, faults: policy } };
  const packets = relabelLab(lab, policy);
  const comparison = compareLab(lab.packets, packets);
  const answer: LabAnswer = {
    ...{ type: 'relabelled', edits, ...comparison },
    readings: packets.map(readingOf),
    policyDigest: policy.digest,
    values: policyChanges(lab.published, policy),
    tookMs: performance.now() - startMs,
  };
  return { answer, packets };
}

function readingOf({ windowEndMs, eventId, packetDigest, packet }: LabPacket): LabReading {
  return { windowEndMs, eventId, packetDigest, state: packet.state, winner: packet.state_diagnosis.winner_state };
}

const answer = createLab();

addEventListener('message', ({ data }: MessageEvent<LabRequest>) => {
  // Unexpected errors reach the page as the worker's error event.
  void answer(data).then(postMessage, reportError);
});
