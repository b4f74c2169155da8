import { labeling } from '@market-state/contracts';
import { type Fault, invalidArgument, notFound } from '@market-state/errors';
import { eventIdFaults } from '@market-state/request-checks';
import type { FeedbackLabel, FeedbackStore } from '../events/event-index';
import { toProtoFeedback } from './wire';

const NOTE_MAX = 2_000;
const TENANT_MAX = 64;

const LABELS: Readonly<Partial<Record<labeling.FeedbackLabel, FeedbackLabel>>> = {
  [labeling.FeedbackLabel.USEFUL]: 'useful',
  [labeling.FeedbackLabel.PARTIAL]: 'partial',
  [labeling.FeedbackLabel.MISSING_CONTEXT]: 'missing_context',
  [labeling.FeedbackLabel.NOISE]: 'noise',
};

interface RecordFeedbackDeps {
  readonly feedback: FeedbackStore;
  readonly clock: () => number;
}

export async function recordFeedback(
  { feedback, clock }: RecordFeedbackDeps,
  { tenantId, eventId, label: sent, note }: labeling.RecordFeedbackRequest,
): Promise<labeling.RecordFeedbackResponse> {
  const label = LABELS[sent];
  const faults = [
    ...textFaults('tenant_id', tenantId, 1, TENANT_MAX),
    ...eventIdFaults(eventId),
    ...labelFaults(label),
    ...textFaults('note', note, 0, NOTE_MAX),
  ];
  if (faults.length > 0 || label === undefined) throw invalidArgument(faults);
  const recordedTsMs = clock();
  const agreement = await feedback.record({ tenantId, eventId, label, note, recordedTsMs });
  if (agreement === undefined) throw notFound('unknown_packet', `There is no packet with the event id ${eventId}.`);
  const { onEvent, onState, onEventClass, ...event } = agreement;
  return {
    ...event,
    recordedTsMs,
    onEvent: toProtoFeedback(onEvent),
    onState: toProtoFeedback(onState),
    onEventClass: toProtoFeedback(onEventClass),
  };
}

function labelFaults(label: FeedbackLabel | undefined): Fault[] {
  return label === undefined ? [{ field: 'label', message: 'must be one of the feedback labels', type: 'malformed' }] : [];
}

function textFaults(field: string, text: string, lengthMin: number, lengthMax: number): Fault[] {
  const isIn = text.length >= lengthMin && text.length <= lengthMax && !text.includes('\0');
  return isIn ? [] : [{ field, message: `must be ${lengthMin} to ${lengthMax} characters without NUL`, type: 'out_of_range' }];
}
