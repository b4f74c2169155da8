/** What orders may be listed by: a status, or `all`. */
export const ORDER_WORDS = ['open', 'fulfilled', 'expired', 'cancelled', 'all'] as const;
export type OrderWord = (typeof ORDER_WORDS)[number];
