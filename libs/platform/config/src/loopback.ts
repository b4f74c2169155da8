const LOOPBACK_HOST = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|\[::1\])$/;

/** Whether a `host:port`, with or without a scheme such as `dns:///` before it, stays on this machine. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^[a-z0-9]+:\/+/, '');
  return LOOPBACK_HOST.test(plain.slice(0, plain.lastIndexOf(':')));
}
