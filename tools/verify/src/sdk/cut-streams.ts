import { firstOf, type SuiteContext } from '../harness';
import type { FaultyProxy } from './faulty-proxy';
import type { SdkHost } from './host';
import type { Access } from './work/access';

const SHOWN_MAX = 10;
const SAY_EVERY = 10;

/** Reads streams of rows and of packets while they are cut, and compares what came with what is stored. */
export async function verifyStreams(
  { report, say }: SuiteContext,
  { host, proxy, cuts, access }: { readonly host: SdkHost; readonly proxy: FaultyProxy; readonly cuts: number; readonly access: Access },
): Promise<void> {
  let said = 0;
  const { rows, stored, packetNumbers, chain } = await host.readStreams(access, () => {
    if (proxy.cuts() >= said + SAY_EVERY) say(`${host.name}: ${(said = proxy.cuts())} cuts`);
    return proxy.cuts() >= cuts;
  });
  const [had, wanted] = [new Set(rows), new Set(stored)];
  report.fail(
    ...firstOf(
      [
        ...repeatedIn(rows).map((place) => `${host.name}: the row ${place} came twice.`),
        ...stored.filter((place) => !had.has(place)).map((place) => `${host.name}: the row ${place} did not come.`),
        ...rows.filter((place) => !wanted.has(place)).map((place) => `${host.name}: the row ${place} came and is not stored.`),
        ...packetFaults(packetNumbers).map((number) => `${host.name}: packet ${number} does not follow.`),
      ],
      SHOWN_MAX,
    ),
  );
  report.check(chain.ok, `${host.name}: the packets are no chain: ${JSON.stringify(chain.firstBreak)}.`);
  report.check(rows.length > 0, `${host.name}: no rows came.`);
  report.figure(
    `${host.name}: cuts of streams; rows and packets that came, those stored`,
    `${proxy.cuts()}; ${rows.length} and ${packetNumbers.length}, ${stored.length}`,
  );
}

function repeatedIn(places: readonly string[]): string[] {
  const seen = new Set<string>();
  return places.filter((place) => seen.has(place) || !seen.add(place));
}

/** Packets of a symbol are numbered without a gap. */
function packetFaults(numbers: readonly number[]): number[] {
  return numbers.filter((number, at) => at > 0 && number !== (numbers[at - 1] ?? 0) + 1);
}
