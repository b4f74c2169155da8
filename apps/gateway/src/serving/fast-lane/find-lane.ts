import type { FastRead } from './fast-read';

/** A lane, and what stands in the place of its path's parameter; empty where it has none. */
interface FoundLane<Lane> {
  readonly lane: Lane;
  readonly inPath: string;
}

/** The end of an address that leads to a lane: the segments behind the parameter. */
interface Branch<Lane> {
  readonly suffix: string;
  readonly lane: Lane;
}

/** Finds the lane of an address by its path, of which at most one segment is a parameter. */
export function findLane<Lane>(
  reads: readonly FastRead[],
  laneOf: (read: FastRead) => Lane,
): (path: string) => FoundLane<Lane> | undefined {
  const plain = new Map<string, FoundLane<Lane>>();
  const branches = new Map<string, Branch<Lane>[]>();
  for (const read of reads) {
    const [before = '', after] = read.operation.path.split(/\{[^}]+\}/);
    if (after === undefined) plain.set(before, { lane: laneOf(read), inPath: '' });
    else branches.set(before, [...(branches.get(before) ?? []), { suffix: after, lane: laneOf(read) }]);
  }

  return (path) => {
    const found = plain.get(path);
    if (found !== undefined) return found;
    for (const [prefix, ends] of branches) {
      if (!path.startsWith(prefix)) continue;
      const slash = path.indexOf('/', prefix.length);
      const end = slash === -1 ? path.length : slash;
      const branch = ends.find(({ suffix }) => path.slice(end) === suffix);
      if (branch !== undefined) return { lane: branch.lane, inPath: path.slice(prefix.length, end) };
    }
    return undefined;
  };
}
