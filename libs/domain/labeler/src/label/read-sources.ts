import { liquidationFeatures } from '../features/liquidation-features';
import type { SourceRead } from '../read';
import { readSources } from '../sources/families';
import type { LabelInput } from './label-input';

/** The source families at T. A family the venue reports is judged by its last event, whatever cuts lie since. */
export function familySources(input: LabelInput): { readonly sources: readonly SourceRead[]; readonly liquidationProxyOnly: boolean } {
  const { windowEndMs, windows, facts, numbers } = input;
  const startMs = windows.cuts.windowStart('liquidation', windowEndMs, numbers.windows.liquidation_ms);
  const liquidations = liquidationFeatures(windows.liquidations.after(startMs));
  const sources = readSources({
    windowEndMs,
    facts,
    publicChannels: numbers.public_channels,
    bookTsMs: windows.books.current?.tsMs ?? null,
    tradeTsMs: windows.trades.lastTsMs,
    contextTsMs: windows.context.lastTsMs,
    liquidationTsMs: windows.liquidations.lastTsMs,
    liquidationTotal: liquidations.total,
    liquidationProxyTotal: liquidations.proxyTotal,
  });
  return { sources, liquidationProxyOnly: liquidations.total > 0 && liquidations.proxyTotal === liquidations.total };
}
