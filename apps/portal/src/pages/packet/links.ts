/** Ids by which reasons, features and rows of one packet page lead to each other. */
export const featureId = (feature: string): string => `feature-${feature}`;
export const reasonId = (reason: string): string => `reason-${reason}`;
export const rowsId = (channel: string): string => `rows-${channel}`;

/** The channel whose rows a source family is read from. */
const CHANNELS: Readonly<Record<string, string>> = {
  book: 'book',
  trades: 'trades',
  candles: 'trades',
  asset_context: 'context',
  liquidations: 'liquidations',
};

/** Null where a family has no rows of its own. */
export function channelOfFamily(family: string): string | null {
  return CHANNELS[family] ?? null;
}
