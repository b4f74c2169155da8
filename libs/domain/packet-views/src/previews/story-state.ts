import type { TapePacket } from './tape-packet';

/** Spread in medians of its session, depth of five levels in medians, and share of steps, from which a story state applies. */
const FRICTION = { spreadMedians: 2, depthMedians: 0.5 } as const;
const CHURN_SHARE = 0.5;

/** Published states that a story may name more closely: of fragile queues, and of nothing else in particular. */
const REFINED: ReadonlySet<string> = new Set(['fragile_depth_watch', 'market_state_watch']);

/** The state of a packet as stories name it. */
export interface StoryState {
  readonly story_state: string;
  readonly story_state_label: string;
}

/**
 * The published state, or the first of these: `friction_building`, with the spread at least twice and the depth at most half of their
 * session medians; `order_churn_elevated`, with best sizes halved in half of the steps or more without trades of that size.
 */
export function storyStateOf({ state, state_label: label, state_decision_trace: trace }: TapePacket): StoryState {
  const { thin = null, wide = null, churn = null } = trace.composites.fragility.terms;
  if (!REFINED.has(state)) return { story_state: state, story_state_label: label };
  // thin is 1 - depth in medians, wide a quarter of the spread in medians above 1.
  const isWide = wide !== null && wide >= (FRICTION.spreadMedians - 1) / 4;
  const isThin = thin !== null && thin >= 1 - FRICTION.depthMedians;
  if (isWide && isThin) return { story_state: 'friction_building', story_state_label: 'Friction building' };
  if (churn !== null && churn >= CHURN_SHARE) return { story_state: 'order_churn_elevated', story_state_label: 'Order churn elevated' };
  return { story_state: state, story_state_label: label };
}
