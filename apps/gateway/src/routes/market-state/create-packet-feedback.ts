import { labeling } from '@market-state/contracts';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { aboutEvent, type PacketClient } from '../../clients/packet-client';
import { feedbackCounts, shareOf } from './events/feedback-counts';
import { toUtc } from '../../serving/meta/instant';
import type { WithoutMeta } from '../../serving/openapi/described';

const LABELS: Readonly<Record<WithoutMeta<'PacketFeedback'>['label'], labeling.FeedbackLabel>> = {
  useful: labeling.FeedbackLabel.USEFUL,
  partial: labeling.FeedbackLabel.PARTIAL,
  missing_context: labeling.FeedbackLabel.MISSING_CONTEXT,
  noise: labeling.FeedbackLabel.NOISE,
};

export function createPacketFeedback(packets: PacketClient): Handler<'createPacketFeedback'> {
  return async (call) => {
    const { event_id: eventId, label: sent, note = '' } = call.input.body;
    const label = sent === 'missing context' ? 'missing_context' : sent;
    const answer = await aboutEvent(packets.call.recordFeedback({ tenantId: grantOf(call).tenantId, eventId, label: LABELS[label], note }));
    const onEvent = feedbackCounts(answer.onEvent);
    const fields: WithoutMeta<'PacketFeedback'> = {
      event_id: eventId,
      symbol: answer.symbol,
      window_end_utc: toUtc(answer.windowEndMs),
      state: answer.state,
      event_class: answer.eventClass,
      label,
      note: note === '' ? null : note,
      recorded_at_utc: toUtc(answer.recordedTsMs),
      replaced: answer.replaced,
      agreement: {
        same_label_share: shareOf(onEvent[label], onEvent.feedback_total),
        event: onEvent,
        state: feedbackCounts(answer.onState),
        event_class: feedbackCounts(answer.onEventClass),
      },
      not_a_signal: true,
    };
    return accountAnswer(call, fields, 'The feedback is stored; later feedback on the same event replaces it.');
  };
}
