import { storeUrl, storeVariables } from '@market-state/archive';
import { wholeNumber } from '@market-state/config';
import { type Channel, CHANNELS } from '@market-state/market-data';
import type { z } from 'zod';

const DAYS_MAX = 36_500;

/** Without `ARCHIVE_URL`, nothing is archived or dropped. */
export const archiveVariables = { ARCHIVE_URL: storeUrl.optional(), ...storeVariables };

const days = wholeNumber(0, DAYS_MAX);

/** Days, with overrides per channel. Hot for 0 days: until archived. */
export const retentionVariables = {
  HOT_DAYS: days.default(3),
  ARCHIVE_DAYS: days.default(30),
  HOT_DAYS_BOOK: days.optional(),
  HOT_DAYS_TRADES: days.optional(),
  HOT_DAYS_CONTEXT: days.optional(),
  HOT_DAYS_LIQUIDATIONS: days.optional(),
  HOT_DAYS_CONTROL: days.optional(),
  ARCHIVE_DAYS_BOOK: days.optional(),
  ARCHIVE_DAYS_TRADES: days.optional(),
  ARCHIVE_DAYS_CONTEXT: days.optional(),
  ARCHIVE_DAYS_LIQUIDATIONS: days.optional(),
  ARCHIVE_DAYS_CONTROL: days.optional(),
};

/** Applied by labeling; reported here only. */
export const packetRetentionVariables = { HOT_DAYS_PACKETS: days.optional(), ARCHIVE_DAYS_PACKETS: days.optional() };

type RetentionVariables = z.output<z.ZodObject<typeof retentionVariables>>;

const SUFFIX = {
  book: 'BOOK',
  trade: 'TRADES',
  context: 'CONTEXT',
  liquidation: 'LIQUIDATIONS',
  control: 'CONTROL',
} as const satisfies Record<Channel, string>;

export interface RetentionPeriods {
  readonly hotDays: number;
  readonly archiveDays: number;
}

export type RetentionDays = Readonly<Record<Channel, RetentionPeriods>>;

export function retentionDaysOf(variables: RetentionVariables): RetentionDays {
  const daysOf = (channel: Channel): RetentionPeriods => ({
    hotDays: variables[`HOT_DAYS_${SUFFIX[channel]}`] ?? variables.HOT_DAYS,
    archiveDays: variables[`ARCHIVE_DAYS_${SUFFIX[channel]}`] ?? variables.ARCHIVE_DAYS,
  });
  return {
    book: daysOf('book'),
    trade: daysOf('trade'),
    context: daysOf('context'),
    liquidation: daysOf('liquidation'),
    control: daysOf('control'),
  };
}

export function packetDaysOf(
  variables: Pick<RetentionVariables, 'HOT_DAYS' | 'ARCHIVE_DAYS'> & z.output<z.ZodObject<typeof packetRetentionVariables>>,
): RetentionPeriods {
  return {
    hotDays: variables.HOT_DAYS_PACKETS ?? variables.HOT_DAYS,
    archiveDays: variables.ARCHIVE_DAYS_PACKETS ?? variables.ARCHIVE_DAYS,
  };
}

/** Rejects channels whose archive retention is shorter than their hot retention. */
export function refuseShortArchive(variables: RetentionVariables, context: z.RefinementCtx): void {
  const kept = retentionDaysOf(variables);
  for (const channel of CHANNELS) {
    const { hotDays, archiveDays } = kept[channel];
    if (archiveDays >= hotDays) continue;
    const name = SUFFIX[channel];
    const message =
      `${name.toLowerCase()}: ARCHIVE_DAYS or ARCHIVE_DAYS_${name} (${archiveDays}) must not be less than HOT_DAYS or ` +
      `HOT_DAYS_${name} (${hotDays})`;
    context.addIssue({ code: 'custom', path: [], message });
  }
}
