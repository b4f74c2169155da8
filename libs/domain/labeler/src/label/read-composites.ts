import { crowding, fragilityComposite, forcedFlow, flow, pressure, regime, type CompositeSignal } from '../composites';
import type { EntryRead } from '../features/features';
import type { PolicyNumbers } from '../policy/numbers';
import { COMPOSITES, type CompositeName, type CompositeRead } from '../read';
import { type ThresholdPairs, norm } from '../thresholds/calibration';
import { holdComposites, type HeldMemories } from '../thresholds/held';

export type CompositeSignals = Readonly<Record<CompositeName, CompositeSignal>>;

/** The six composites at T. */
export function readSignals(
  entries: EntryRead,
  volatility: { readonly short: number | null; readonly session: number | null },
  numbers: PolicyNumbers,
): CompositeSignals {
  const { book, context, liquidations, state } = entries;
  return {
    pressure: pressure(book && { imbalance5: book.imbalances.top5, imbalance1: book.imbalances.top1, held: state.held }),
    flow: flow(state.trades),
    fragility: fragilityComposite(book && { read: book.fragility, churn: book.churn }),
    crowding: crowding(context, numbers),
    forced_flow: forcedFlow(
      liquidations && {
        liquidationNotionalUsd: liquidations.notionalUsd,
        tradedNotionalUsd: entries.tradedNotionalUsd,
        direction: liquidations.direction,
      },
      numbers,
    ),
    regime: regime(volatility, book === null, numbers),
  };
}

/** The composites against the thresholds in force, and which of them are held. */
export function againstThresholds(
  signals: CompositeSignals,
  pairs: ThresholdPairs,
  before: HeldMemories,
  numbers: PolicyNumbers,
): Readonly<Record<CompositeName, CompositeRead>> {
  const held = holdComposites(signals, pairs, before, numbers.calibration.leave_ratio);
  return mapComposites((name) => {
    const { score, side, available, terms } = signals[name];
    const { watch, elevated } = pairs[name];
    return { score, norm: norm(score, pairs[name]), side, watch, elevated, ...held[name], available, terms };
  });
}

/** One value of each composite, by name. */
export function mapComposites<T>(read: (name: CompositeName) => T): Readonly<Record<CompositeName, T>> {
  return Object.fromEntries(COMPOSITES.map((name) => [name, read(name)])) as Record<CompositeName, T>;
}
