import type { CliIo } from './cli-io';

/** Tells on stderr how far long work is. */
export interface Progress {
  /** A sentence without its end; most calls are passed over, so that they cost nothing. */
  tell(sentence: () => string): void;
  /** To be called once: clears what a terminal still shows. */
  end(): void;
}

const TERMINAL_EVERY_MS = 100;
/** Away from a terminal: a line now and then, none for work that is short. */
const LINE_EVERY_MS = 5_000;
const CLEAR_LINE = '\r\u001b[K';

export function createProgress({ stderr }: Pick<CliIo, 'stderr'>): Progress {
  const terminal = stderr.isTTY === true;
  const everyMs = terminal ? TERMINAL_EVERY_MS : LINE_EVERY_MS;
  let lastMs = performance.now();
  let shown = false;
  return {
    tell(sentence) {
      const nowMs = performance.now();
      if (nowMs - lastMs < everyMs) return;
      lastMs = nowMs;
      stderr.write(terminal ? `${CLEAR_LINE}${sentence()}` : `${sentence()}\n`);
      shown = terminal;
    },
    end() {
      if (shown) stderr.write(CLEAR_LINE);
      shown = false;
    },
  };
}
