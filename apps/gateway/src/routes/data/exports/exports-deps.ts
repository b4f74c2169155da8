import type { Upstreams } from '../../../clients/upstreams';

export interface ExportsDeps extends Pick<Upstreams, 'exports' | 'exportedFiles'> {
  /** Signs quotes. */
  readonly quoteSecret: string;
  /** Signs download routes. */
  readonly linkSecret: string;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}
