/**
 * Positive numbers of which a logarithm is taken, drawn from a seed: a third are ratios of two prices, a third lie around 1 and the powers
 * of 2, a third are any doubles.
 */
export function* drawnNumbers(seed: number, total: number): Generator<number> {
  const random = createRandom(seed);
  const words = new Uint32Array(2);
  const double = new Float64Array(words.buffer);
  for (let index = 0; index < total; index++) {
    if (index % 3 === 0) yield price(random) / price(random);
    else if (index % 3 === 1) yield (1 + (random() - 0.5) * 2 ** -Math.floor(52 * random())) * 2 ** Math.floor(8 * random() - 4);
    else {
      words[0] = Math.floor(random() * 2 ** 32);
      words[1] = Math.floor(random() * 0x7ff0_0000);
      yield double[0] ?? 0;
    }
  }
}

function price(random: () => number): number {
  return Math.round(100_000 * (0.95 + random() / 10)) / 10;
}

/** mulberry32: 0 <= x < 1. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
