import { type LoggedBrief, packetName } from '../logged-packet';

/**
 * One row for each packet whose published state, event class or event profile differs from the packet before it in the chain; tags are
 * the counted ones that came and went with it. The first packet of a chain makes no row.
 */
export function transitionRows(packets: readonly LoggedBrief[]) {
  return packets.flatMap((logged) => {
    const { changed, transition_type, ts, ...packet } = logged.packet;
    const { state, event_class, event_profile } = changed;
    if (!state.changed && !event_class.changed && !event_profile.changed) return [];
    const { event_id, packet_id, sequence } = packetName(logged);
    return [
      {
        event_id,
        packet_id,
        sequence,
        event_time_utc: ts,
        transition_type,
        from_state: state.previous,
        to_state: packet.state,
        from_event_class: event_class.previous,
        to_event_class: packet.event_class,
        from_event_profile: event_profile.previous,
        to_event_profile: packet.event_profile,
        changed_tags: { added: changed.tags_added, removed: changed.tags_removed },
      },
    ];
  });
}
