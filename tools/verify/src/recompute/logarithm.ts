import { naturalLog } from '@market-state/labeler';
import type { Report } from '../harness';

/** Holds the labeler's logarithm against V8's own on drawn numbers: ratios of prices, numbers around the powers of 2, any doubles. */
export function verifyLogarithm(report: Report, random: () => number, total: number): void {
  const words = new Uint32Array(2);
  const double = new Float64Array(words.buffer);
  const price = (): number => Math.round(100_000 * (0.95 + random() / 10)) / 10;
  let different = 0;
  for (let index = 0; index < total; index += 1) {
    let value: number;
    if (index % 3 === 0) value = price() / price();
    else if (index % 3 === 1) value = (1 + (random() - 0.5) * 2 ** -Math.floor(52 * random())) * 2 ** Math.floor(8 * random() - 4);
    else {
      words[0] = Math.floor(random() * 2 ** 32);
      words[1] = Math.floor(random() * 0x7ff0_0000);
      value = double[0] ?? 0;
    }
    if (!Object.is(naturalLog(value), Math.log(value))) different += 1;
  }
  report.figure('logarithms equal to those of V8', total - different);
  report.check(different === 0, `${different} of ${total} logarithms differ from those of V8`);
}
