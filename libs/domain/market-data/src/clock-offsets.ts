/** Offsets of clocks, and changes of them, up to this are usual. */
const OFFSET_MS_MAX = 2_000;
/** Offsets are compared block by block of receive time; of each only the first samples count. */
const BLOCK_MS = 10_000;
const BLOCK_SAMPLES_MAX = 512;

interface Block {
  readonly startMs: number;
  readonly offsetMs: number;
}

/** Received minus exchange time of one instrument's messages: the median of all, and whether it changed. */
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

  /** A sentence without a full stop; undefined where neither the offset nor a change of it is over 2 s. */
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
      `receive times minus exchange times are ${seconds(offsetMs)} s at the median${change}: ` +
      (isChanged ? 'the receive clock was set, or messages came late' : 'one of the clocks is wrong, or messages come late')
    );
  }

  /** The largest change from one block to the next, where it is over the limit. */
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
