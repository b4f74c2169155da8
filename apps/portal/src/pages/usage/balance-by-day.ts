import type { Schemas } from '@market-state/client';

/** A kind of credit over some days. */
export interface BalanceLine {
  readonly kind: string;
  /** Credits at the start of the first day. */
  readonly atStart: number;
  /** Oldest first. */
  readonly days: readonly BalanceDay[];
  /** What moved them in all: `atStart` and `granted`, less `charged` and `expired`, is what the last day has left. */
  readonly granted: number;
  readonly charged: number;
  readonly expired: number;
}

interface BalanceDay extends Pick<Schemas['BalanceStep'], 'granted' | 'charged' | 'expired'> {
  /** As `2026-11-25`, UTC. */
  readonly day: string;
  /** Credits at its end, or now: what is set aside counts. */
  readonly left: number;
}

const wholeOf = ({ available, held, leased_to_gateways: leased }: Schemas['BalanceAt']): number => available + held + leased;

/** A line for each kind of credit that was ever there. */
export function balanceLines({ opening, rows }: Pick<Schemas['BalanceHistory'], 'opening' | 'rows'>): readonly BalanceLine[] {
  return opening
    .map((start): BalanceLine => {
      const own = rows.filter(({ credit_kind: kind }) => kind === start.credit_kind);
      const sumOf = (name: 'granted' | 'charged' | 'expired'): number => own.reduce((sum, row) => sum + row[name], 0);
      return {
        kind: start.credit_kind,
        atStart: wholeOf(start),
        days: own.map((row) => {
          const { from_utc: fromUtc, granted, charged, expired } = row;
          return { day: fromUtc.slice(0, 10), left: wholeOf(row), granted, charged, expired };
        }),
        granted: sumOf('granted'),
        charged: sumOf('charged'),
        expired: sumOf('expired'),
      };
    })
    .filter(({ atStart, granted }) => atStart + granted > 0);
}
