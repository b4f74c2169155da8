/** Columns of packets that are fields of the body, and where they are in it: docs/packet-body.md. */
export const PACKET_BODY_FIELDS: Readonly<Record<string, string>> = {
  state: 'state',
  event_class: 'event_class',
  event_profile: 'event_profile',
  transition_type: 'transition_type',
  severity_class: 'event_severity.severity_class',
  severity_score: 'event_severity.score',
  novelty_score: 'novelty_score',
  contradiction_score: 'contradiction_score',
  confidence_label: 'confidence.label',
  confidence_score: 'confidence.score',
  state_margin: 'packet_quality.state_margin',
  tags: 'tags',
  gap_flags: 'packet_quality.gap_flags',
};
