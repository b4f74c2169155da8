import type { IncomingMessage, RequestListener } from 'node:http';
import { hostNameOf, isLoopbackHost } from '@market-state/config';
import { Problem } from '../errors/problem';
import { requestIdOf } from '../http/request-id';
import { sendProblem } from '../http/send';

/** Whether text, a host with or without a port, names this service. */
export type HostCheck = (authority: string) => boolean;

/** The authority of a request target in absolute form. */
const ABSOLUTE_TARGET = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;

const MEMO_SIZE = 100;

/** Takes the names of loopback and those given, each with any port or an empty one, with or without a dot at its end. */
export function createHostCheck(publicHosts: readonly string[]): HostCheck {
  const names = new Set(publicHosts.map((name) => name.toLowerCase()));
  const memo = new Set<string>();
  return (authority) => {
    if (memo.has(authority)) return true;
    const name = hostNameOf(authority);
    if (name === undefined || !(isLoopbackHost(name) || names.has(name))) return false;
    if (memo.size >= MEMO_SIZE) memo.clear();
    memo.add(authority);
    return true;
  };
}

function isHostName(name: string | undefined): boolean {
  return name === 'Host' || name === 'host' || (name?.length === 4 && name.toLowerCase() === 'host');
}

function misdirected(sentence: string): Problem {
  return new Problem('misdirected_request', sentence, { headers: { Connection: 'close' } });
}

/** What is wrong with the host that a request names; null when nothing is. `headers` would hide a second Host. */
function hostProblem({ rawHeaders, url = '', httpVersion }: IncomingMessage, isOwn: HostCheck): Problem | null {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!isHostName(rawHeaders[at])) continue;
    if (host !== undefined) return misdirected('A request has the header Host once.');
    host = rawHeaders[at + 1];
  }
  if (host === undefined && httpVersion === '1.1')
    return new Problem('malformed_request', 'The Host header is missing.', { headers: { Connection: 'close' } });
  const target = url.startsWith('/') ? undefined : ABSOLUTE_TARGET.exec(url)?.[1];
  if (host !== undefined && isOwn(host) && (target === undefined || isOwn(target))) return null;
  return misdirected('The header Host does not name this service.');
}

/**
 * Refuses a request that does not name this service exactly once, so that a page of another name cannot reach it through the caller's own
 * network.
 */
export function onlyOwnHosts(isOwn: HostCheck, listener: RequestListener): RequestListener {
  return (req, res) => {
    const problem = hostProblem(req, isOwn);
    if (problem === null) listener(req, res);
    else sendProblem(res, requestIdOf(req), problem);
  };
}
