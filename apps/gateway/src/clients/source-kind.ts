import { marketData } from '@market-state/contracts';
import type { SourceKindName } from '../serving/meta/meta';

/** The public name of a source kind; a kind not stated is `unknown` and never counts as live. */
export function fromProtoSourceKind(kind: marketData.SourceKind): SourceKindName {
  switch (kind) {
    case marketData.SourceKind.LIVE:
      return 'live';
    case marketData.SourceKind.RECORDED:
      return 'recorded';
    case marketData.SourceKind.SIMULATED:
      return 'simulated';
    case marketData.SourceKind.UNSPECIFIED:
      return 'unknown';
  }
}
