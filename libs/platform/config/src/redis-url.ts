/** One node of a Redis Cluster. */
export interface RedisNode {
  readonly host: string;
  /** 1..65535 */
  readonly port: number;
}

/** Where Redis is: one server, or a cluster that is found by some of its nodes. */
export type RedisPlace =
  | { readonly kind: 'server'; readonly url: string }
  | {
      readonly kind: 'cluster';
      readonly nodes: readonly RedisNode[];
      /** Of every node; absent: none is told. */
      readonly username?: string;
      readonly password?: string;
      /** Whether connections to nodes use TLS. */
      readonly isEncrypted: boolean;
    };

/** A URL that says of no Redis where it is. The message ends the sentence "REDIS_URL …" and repeats nothing of the URL. */
export class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError';
}

const SERVER_SCHEMES = ['redis:', 'rediss:'];
const CLUSTER = /^(rediss?)-cluster:\/\/(?:(.*)@)?([^@]*)$/;
const NODE = /^(?:\[([0-9a-fA-F:]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/;
const PORT_MAX = 65_535;

/**
 * Reads `redis://[user:password@]host[:port][/database]` or `redis-cluster://[user:password@]host:port[,host:port…]`; with `rediss` in
 * place of `redis` connections use TLS. User and password are percent-encoded.
 * @throws {RedisUrlError} on anything else
 */
export function parseRedisUrl(url: string): RedisPlace {
  const cluster = CLUSTER.exec(url);
  if (cluster !== null) {
    const [, scheme, credentials, nodes = ''] = cluster;
    return { kind: 'cluster', nodes: nodes.split(',').map(nodeOf), ...credentialsOf(credentials), isEncrypted: scheme === 'rediss' };
  }
  if (!URL.canParse(url) || !SERVER_SCHEMES.includes(new URL(url).protocol))
    throw new RedisUrlError('must be a redis://, rediss://, redis-cluster:// or rediss-cluster:// URL');
  const { hostname, pathname } = new URL(url);
  if (hostname === '') throw new RedisUrlError('must name the server: redis://host:port');
  if (!/^(?:\/\d*)?$/.test(pathname)) throw new RedisUrlError('must have nothing but the number of a database after the server');
  return { kind: 'server', url };
}

function nodeOf(text: string, index: number): RedisNode {
  const [, address, name, digits] = NODE.exec(text) ?? [];
  const [host, port] = [address ?? name, Number(digits)];
  if (host === undefined || !(port >= 1 && port <= PORT_MAX))
    throw new RedisUrlError(
      `must list nodes of the cluster as host:port, separated by commas, and nothing after them; node ${index + 1} is not`,
    );
  return { host, port };
}

function credentialsOf(text: string | undefined): { readonly username?: string; readonly password?: string } {
  if (text === undefined) return {};
  const [, username, password] = /^([^:@/]*):([^:@/]+)$/.exec(text) ?? [];
  try {
    if (username === undefined || password === undefined) throw new URIError();
    return { ...(username === '' ? {} : { username: decodeURIComponent(username) }), password: decodeURIComponent(password) };
  } catch {
    throw new RedisUrlError('must have user and password as user:password@ before the nodes, both percent-encoded');
  }
}
