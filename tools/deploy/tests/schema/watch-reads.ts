/** An object whose fields are watched, to any depth. */
export interface WatchedReads<T> {
  readonly watched: T;
  /** Paths of fields that nobody has read so far; what is inside one of them is not listed. */
  unread(): readonly string[];
}

interface Node {
  readonly path: string;
  readonly value: object;
  readonly proxy: object;
  readonly read: Set<string>;
}

export function watchReads<T extends object>(root: T): WatchedReads<T> {
  const nodes = new Map<object, Node>();

  function watch(value: object, path: string): object {
    const known = nodes.get(value);
    if (known !== undefined) return known.proxy;
    const read = new Set<string>();
    const proxy = new Proxy(value, {
      get(target, key) {
        const found = Reflect.get(target, key) as unknown;
        if (typeof key === 'symbol' || typeof found === 'function') return found;
        read.add(key);
        return typeof found === 'object' && found !== null ? watch(found, pathOf(path, key, target)) : found;
      },
    });
    nodes.set(value, { path, value, proxy, read });
    return proxy;
  }

  return {
    watched: watch(root, '') as T,
    unread: () =>
      [...nodes.values()].flatMap(({ path, value, read }) =>
        Object.keys(value)
          .filter((key) => !read.has(key))
          .map((key) => pathOf(path, key, value)),
      ),
  };
}

function pathOf(path: string, key: string, within: object): string {
  if (Array.isArray(within)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}
