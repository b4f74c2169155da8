import { canonicalJson } from '../lineage/canonical-json';
import type { LabelerState } from '../reducer/labeler-state';
import { STATE_FORMAT, type StateImage } from './state-image';

/**
 * The whole state as bytes: RFC 8785 JSON in UTF-8, so that equal states give equal bytes. `restoreState` continues from them exactly as
 * the state given would have.
 */
export function serializeState(state: LabelerState): Uint8Array {
  return Buffer.from(canonicalJson(imageOf(state)), 'utf8');
}

function imageOf({ symbol, policy, log, windows, memory, chain }: LabelerState): StateImage {
  const { books, trades, context, liquidations, cuts } = windows;
  return {
    format: STATE_FORMAT,
    symbol,
    policyDigest: policy.digest,
    log: { ...log, seen: log.seen.dump(), gaps: log.gaps.dump(), closed: [...log.closed] },
    windows: {
      books: { records: [...books.records], current: books.current },
      trades: {
        records: [...trades.records],
        agedSizes: [...trades.agedSizes],
        agedTotal: trades.agedTotal,
        lastTsMs: trades.lastTsMs,
      },
      context: {
        openInterest: [...context.openInterest],
        lastTsMs: context.lastTsMs,
        fundingRate: context.fundingRate,
        markPrice: context.markPrice,
      },
      liquidations: { records: [...liquidations.records], lastTsMs: liquidations.lastTsMs },
      cuts: cuts.dump(),
    },
    memory: {
      ...memory,
      history: [...memory.history],
      session: [...memory.session],
      returns: [...memory.returns],
      noveltyTags: [...memory.noveltyTags],
      historyBlocks: [...memory.historyBlocks],
    },
    chain,
  };
}
