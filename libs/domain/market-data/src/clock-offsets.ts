const OFFSET_MS_MAX = 2_000;
const BLOCK_MS = 10_000;
const BLOCK_SAMPLES_MAX = 512;

interface Block {
  readonly startMs: number;
  readonly offsetMs: number;
}

/** Overall median and changes of receive time minus exchange time. */
export class ClockOffsets {
  private readonly blocks: Block[] = [];
  private samples: number[] = [];
  private startMs = 0;

  add(receivedMs: number, exchangeTimesMs: readonly number[]): void {
    const newestMs = exchangeTimesMs.at(-1);
    if (newestMs === undefined) return;
    if (Math.abs(receivedMs - this.startMs) >= BLOCK_MS) this.closeBlock(receivedMs);
    if (this.samples.length < BLOCK_SAMPLES_MAX) this.samples.push(receivedMs - newestMs);
  }

  /** One sentence without a full stop; undefined if offset and changes stay within 2 s. */
  sentence(): string | undefined {
    this.closeBlock(this.startMs);
    const { blocks } = this;
    const offsetMs = median(blocks.map((block) => block.offsetMs));
    if (offsetMs === undefined) return undefined;
    const sorted = [...blocks].sort((a, b) => a.offsetMs - b.offsetMs);
    const [least = 0, most = 0] = [sorted[0]?.offsetMs, sorted.at(-1)?.offsetMs];
    const isChanged = most - least > OFFSET_MS_MAX;
    if (Math.abs(offsetMs) <= OFFSET_MS_MAX && !isChanged) return undefined;
    const change = isChanged ? `, between ${seconds(least)} and ${seconds(most)} s${this.step()}` : '';
    return (
      `the median of receive time minus exchange time is ${seconds(offsetMs)} s${change}: ` +
      (isChanged ? 'the receive clock was set, or messages arrived late' : 'one of the clocks is wrong, or messages arrive late')
    );
  }

  private step(): string {
    let largestMs = OFFSET_MS_MAX;
    let sentence = '';
    for (const [index, { startMs, offsetMs }] of this.blocks.entries()) {
      const before = this.blocks[index - 1];
      if (before === undefined || Math.abs(offsetMs - before.offsetMs) <= largestMs) continue;
      largestMs = Math.abs(offsetMs - before.offsetMs);
      sentence = `, with a change from ${seconds(before.offsetMs)} to ${seconds(offsetMs)} s at ${new Date(startMs).toISOString()}`;
    }
    return sentence;
  }

  private closeBlock(nextMs: number): void {
    const offsetMs = median(this.samples);
    if (offsetMs !== undefined) this.blocks.push({ startMs: this.startMs, offsetMs });
    this.samples = [];
    this.startMs = nextMs;
  }
}

function median(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
