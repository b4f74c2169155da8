import type { CliIo } from './cli-io';

export interface Progress extends Disposable {
  /** Sentence without a full stop; a function, because most calls are skipped by rate limiting. */
  report(sentence: () => string): void;
  /** Clears the progress line of a terminal; also when its scope ends. */
  end(): void;
}

const TERMINAL_EVERY_MS = 100;
/** Interval between lines if stderr is not a terminal; short work prints none. */
const LINE_EVERY_MS = 5_000;
const CLEAR_LINE = '\r\u001b[K';

export function createProgress({ stderr }: Pick<CliIo, 'stderr'>): Progress {
  const terminal = stderr.isTTY === true;
  const everyMs = terminal ? TERMINAL_EVERY_MS : LINE_EVERY_MS;
  let lastMs = performance.now();
  let shown = false;
  const end = (): void => {
    if (shown) stderr.write(CLEAR_LINE);
    shown = false;
  };
  return {
    report(sentence) {
      const nowMs = performance.now();
      if (nowMs - lastMs < everyMs) return;
      lastMs = nowMs;
      stderr.write(terminal ? `${CLEAR_LINE}${sentence()}` : `${sentence()}\n`);
      shown = terminal;
    },
    end,
    [Symbol.dispose]: end,
  };
}
