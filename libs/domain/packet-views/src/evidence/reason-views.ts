import type { Packet } from '@market-state/labeler';

/** The reasons of a packet, by what they support. */
export function reasonViews({ reason_details: reasons }: Packet) {
  const withStance = (stance: (typeof reasons)[number]['stance']) => reasons.filter((reason) => reason.stance === stance);
  return { supports: withStance('supports'), weighs_against: withStance('weighs_against'), context: withStance('context') };
}
