import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping, type SourceMapPayload } from 'node:module';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number; readonly columnNumber: number };
  readonly children?: readonly number[];
}

/** File of `record-turns.cjs`. */
interface Recorded {
  readonly program: string;
  readonly profile: {
    readonly nodes: readonly ProfileNode[];
    readonly startTime: number;
    readonly samples: readonly number[];
    readonly timeDeltas: readonly number[];
  };
  readonly collections: readonly { readonly isYoung: boolean; readonly ms: number }[];
  readonly requests: readonly { readonly path: string; readonly startUs: number; readonly endUs: number | null }[];
}

/** Time in which the event loop never waited for events. */
interface LongTurn {
  readonly ms: number;
  /** Routes of the requests that arrived or ended in it. */
  readonly paths: readonly string[];
  /** Milliseconds by function and source line: the innermost one of this repository, or the collector. */
  readonly msByPlace: ReadonlyMap<string, number>;
}

const COLLECTOR = '(garbage collector)';
const IDLE = '(idle)';
const OWN = /(?:apps|libs)\/.*$/;

export function readRecorded(file: string): Recorded {
  return JSON.parse(readFileSync(file, 'utf8')) as Recorded;
}

/** Turns of a recorded process over a limit. A turn between two samples, or cut off by the end, is not seen. */
export function longTurns({ program, profile, requests }: Recorded, msMin: number): readonly LongTurn[] {
  const placeOf = placesOf(profile.nodes, new SourceMap(JSON.parse(readFileSync(`${program}.map`, 'utf8')) as SourceMapPayload));
  const idle = new Set(profile.nodes.filter(({ callFrame }) => callFrame.functionName === IDLE).map(({ id }) => id));
  const turns: LongTurn[] = [];
  let atUs = profile.startTime;
  let startUs = atUs;
  let places = new Map<string, number>();
  for (const [index, node] of profile.samples.entries()) {
    atUs += profile.timeDeltas[index] ?? 0;
    const lastedUs = profile.timeDeltas[index + 1] ?? 0;
    if (!idle.has(node)) {
      const place = placeOf(node);
      places.set(place, (places.get(place) ?? 0) + lastedUs / 1_000);
      continue;
    }
    const [fromUs, toUs] = [startUs, atUs];
    if (places.size > 0 && toUs - fromUs >= msMin * 1_000) {
      const served = requests.filter(
        ({ startUs: first, endUs: last }) => isIn(first, fromUs, toUs) || (last !== null && isIn(last, fromUs, toUs)),
      );
      turns.push({ ms: (toUs - fromUs) / 1_000, paths: [...new Set(served.map(({ path }) => path))], msByPlace: places });
    }
    places = new Map();
    startUs = atUs + lastedUs;
  }
  return turns;
}

function isIn(atUs: number, fromUs: number, toUs: number): boolean {
  return atUs >= fromUs && atUs <= toUs;
}

/** The innermost function of this repository on a node's stack. */
function placesOf(nodes: readonly ProfileNode[], map: SourceMap): (id: number) => string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child): [number, number] => [child, id])));
  const known = new Map<number, string>();

  function find(id: number): string {
    const node = byId.get(id);
    if (node === undefined) return '(runtime)';
    const { functionName, url, lineNumber, columnNumber } = node.callFrame;
    if (functionName === COLLECTOR) return COLLECTOR;
    const { originalSource = '', originalLine = 0 }: Partial<SourceMapping> = url.endsWith('.cjs')
      ? map.findEntry(lineNumber, columnNumber)
      : {};
    const [source] = OWN.exec(originalSource) ?? [];
    if (source !== undefined) return `${functionName || '(anonymous)'} ${source}:${originalLine + 1}`;
    const parent = parents.get(id);
    return parent === undefined ? '(runtime)' : placeOf(parent);
  }

  function placeOf(id: number): string {
    const place = known.get(id) ?? find(id);
    known.set(id, place);
    return place;
  }

  return placeOf;
}
