export interface RedisNode {
  readonly host: string;
  /** 1..65535 */
  readonly port: number;
}

/** A single server, or a cluster discovered through some of its nodes. */
export type RedisAddress =
  | { readonly kind: 'server'; readonly url: string }
  | {
      readonly kind: 'cluster';
      readonly nodes: readonly RedisNode[];
      /** Credentials for every node; absent: none. */
      readonly username?: string;
      readonly password?: string;
      readonly isEncrypted: boolean;
    };

/** Invalid Redis URL. The message completes the sentence "REDIS_URL …" and never includes the URL. */
export class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError';
}

const SERVER_SCHEMES = ['redis:', 'rediss:'];
const CLUSTER = /^(rediss?)-cluster:\/\/(?:(.*)@)?([^@]*)$/;
const NODE = /^(?:\[([0-9a-fA-F:]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/;
const PORT_MAX = 65_535;

/**
 * Parses `redis[s]://[user:password@]host[:port][/database]` or
 * `redis[s]-cluster://[user:password@]host:port[,host:port…]`; `rediss` uses TLS. Credentials are percent-encoded.
 * @throws {RedisUrlError} for any other text
 */
export function parseRedisUrl(url: string): RedisAddress {
  const cluster = CLUSTER.exec(url);
  if (cluster !== null) {
    const [, scheme, credentials, nodes = ''] = cluster;
    return { kind: 'cluster', nodes: nodes.split(',').map(nodeOf), ...credentialsOf(credentials), isEncrypted: scheme === 'rediss' };
  }
  if (!URL.canParse(url) || !SERVER_SCHEMES.includes(new URL(url).protocol))
    throw new RedisUrlError('must be a redis://, rediss://, redis-cluster:// or rediss-cluster:// URL');
  const { hostname, pathname } = new URL(url);
  if (hostname === '') throw new RedisUrlError('must include the server: redis://host:port');
  if (!/^(?:\/\d*)?$/.test(pathname)) throw new RedisUrlError('must not have anything after the server except a database number');
  return { kind: 'server', url };
}

function nodeOf(text: string, index: number): RedisNode {
  const [, address, name, digits] = NODE.exec(text) ?? [];
  const [host, port] = [address ?? name, Number(digits)];
  if (host === undefined || !(port >= 1 && port <= PORT_MAX))
    throw new RedisUrlError(`must list cluster nodes as comma-separated host:port and nothing else; node ${index + 1} is invalid`);
  return { host, port };
}

function credentialsOf(text: string | undefined): { readonly username?: string; readonly password?: string } {
  if (text === undefined) return {};
  const [, username, password] = /^([^:@/]*):([^:@/]+)$/.exec(text) ?? [];
  try {
    if (username === undefined || password === undefined) throw new URIError();
    return { ...(username === '' ? {} : { username: decodeURIComponent(username) }), password: decodeURIComponent(password) };
  } catch {
    throw new RedisUrlError('must have percent-encoded credentials as user:password@ before the nodes');
  }
}
